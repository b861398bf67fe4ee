import { serviceError } from '../../errors/service-error';
import { assertFoundWithinLimits, assertWithinLimits } from '../../ramps/limits';
import type { ProviderQuote, QuoteRequest } from '../quote-provider';
import { chargeOf } from './charge';
import { rampRouteOf } from './ramp-route';

type PricedRequest = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'side' | 'amount' | 'fiat'>;

/**
 * Checks the amount of a route from or to fiat, and what a BR Code charges, against the limits of the contract, before
 * anybody is asked.
 *
 * @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP; ROUTER_EXACT_OUT_UNSUPPORTED for an exact amount out through Pix
 */
export function assertFiatAmount(request: PricedRequest): void {
  const route = rampRouteOf(request);
  if (route === undefined) return;
  assertWithinLimits(route, request.side, request.amount);
  const charge = chargeOf(request.fiat);
  if (charge !== undefined) assertWithinLimits(route, 'out', charge);
  if (request.side === 'out' && route.currency === 'BRL') throw serviceError('ROUTER_EXACT_OUT_UNSUPPORTED');
}

/**
 * Checks what an offer gives, or takes, on the side that was not asked for, against the same limits.
 *
 * @throws AMOUNT_{IN,OUT}_TOO_{LOW,HIGH}_{ON,OFF}RAMP
 */
export function assertFiatOffer(
  request: Omit<PricedRequest, 'amount'>,
  { amountIn, expectedAmountOut }: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut'>,
): void {
  const route = rampRouteOf(request);
  if (route === undefined) return;
  if (request.side === 'in') assertFoundWithinLimits(route, 'out', expectedAmountOut);
  else assertFoundWithinLimits(route, 'in', amountIn);
}
