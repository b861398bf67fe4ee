import { serviceError } from '../../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { looksLikeBrCode, parseBrCode } from '../../ramps/br-code';
import type { FiatTerms } from '../../ramps/fiat-terms';
import { assertQuotedWithinRouteLimits, assertWithinRouteLimits } from '../../ramps/route-limits';
import type { ProviderQuote, QuoteRequest } from '../quote-provider';
import { rampRouteOf } from './ramp-route';

type PricedRequest = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'side' | 'amount' | 'fiat'>;

/**
 * Checks the amount of a fiat route, and the amount of a BR Code, against the ramp limits before any ramp is queried.
 *
 * @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP; ROUTER_EXACT_OUT_UNSUPPORTED for an exact amount out through Pix
 */
export function assertFiatAmount(request: PricedRequest): void {
  const route = rampRouteOf(request);
  if (route === undefined) return;
  assertWithinRouteLimits(route, request.side, request.amount);
  const charge = brCodeAmount(request.fiat);
  if (charge !== undefined) assertWithinRouteLimits(route, 'out', charge);
  if (request.side === 'out' && route.currency === 'BRL') throw serviceError('ROUTER_EXACT_OUT_UNSUPPORTED');
}

/** Checks the computed side of an offer against the same limits. @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP */
export function assertFiatOffer(
  request: Omit<PricedRequest, 'amount'>,
  { amountIn, expectedAmountOut }: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut'>,
): void {
  const route = rampRouteOf(request);
  if (route === undefined) return;
  if (request.side === 'in') assertQuotedWithinRouteLimits(route, 'out', expectedAmountOut);
  else assertQuotedWithinRouteLimits(route, 'in', amountIn);
}

/** Fixed amount of the BR Code of a payout, in cents; `undefined` without one. */
export function brCodeAmount(fiat: Pick<FiatTerms, 'payout'> | undefined): BaseUnits | undefined {
  const payout = fiat?.payout;
  if (payout?.rail !== 'PIX' || !looksLikeBrCode(payout.pixKey)) return undefined;
  const { amount } = parseBrCode(payout.pixKey);
  return amount === undefined ? undefined : toBaseUnits(amount);
}
