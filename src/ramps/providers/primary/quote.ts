import type { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import type { BaseUnits } from '../../../money/base-units';
import type { RampFee, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { quoteFailure } from './failures';
import { assertWithinAccountLimits, requestAccountLimits } from './account-limits';
import type { PrimaryRampApi } from './ramp-api';
import { type Leg, type Legs, routeLegs } from './ramp-legs';
import { fromWireAmount, readWireAmount, roundToWire, toWireAmount } from './wire-amount';
import { fixedRateQuote, readResponse } from './wire';

/** For how long the ramp keeps a quote. */
const TOKEN_LIFE_MS = 15_000;

/** A quote of the ramp as it is asked for. */
export interface FixedRateRequest {
  readonly legs: Legs;
  readonly side: 'in' | 'out';
  /** On the grid of the side's unit. */
  readonly amount: BaseUnits;
  readonly accountId: string | undefined;
  readonly thirdParty: boolean;
  /** The charge that a Pix payout pays. */
  readonly brCode?: string | undefined;
}

export interface FixedRateQuote {
  readonly quoteToken: string;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly fees: readonly RampFee[];
}

/** @throws UpstreamError */
export async function requestFixedRate(
  { http }: PrimaryRampApi,
  request: FixedRateRequest,
  signal: AbortSignal,
): Promise<FixedRateQuote> {
  const { legs, side, amount, accountId } = request;
  const answer = await http.get(
    '/v2/account/quote/fixed-rate',
    {
      inputCurrency: legs.in.currency,
      inputPaymentMethod: legs.in.method,
      outputCurrency: legs.out.currency,
      outputPaymentMethod: legs.out.method,
      inputAmount: side === 'in' ? toWireAmount(amount, legs.in.unit) : undefined,
      outputAmount: side === 'out' ? toWireAmount(amount, legs.out.unit) : undefined,
      inputThirdParty: false,
      outputThirdParty: request.thirdParty,
      // Compulsory for tokens that come in, from the person's own account too, where nothing is signed.
      blockchainSendMethod: legs.in.method === 'INTERNAL' ? 'PERMIT' : undefined,
      outputBrCode: request.brCode,
      subAccountId: accountId,
    },
    signal,
  );
  const quote = readResponse(fixedRateQuote, answer);
  const { amountIn, amountOut } = amountsOf(request, quote);
  const fees = (quote.appliedFees ?? []).flatMap((fee) => feeOf(legs, fee));
  return { quoteToken: quote.quoteToken, amountIn, amountOut, fees };
}

type WireQuote = z.output<typeof fixedRateQuote>;

/** @throws UpstreamError when they are of something else than what was asked for */
function amountsOf({ legs, side, amount }: FixedRateRequest, quote: WireQuote) {
  const amountIn = side === 'in' ? readWireAmount(quote.inputAmount, legs.in.unit) : enough(quote.inputAmount, legs.in);
  const amountOut = readWireAmount(quote.outputAmount, legs.out.unit);
  const kept = side === 'in' ? amountIn : amountOut;
  const same = quote.inputCurrency === legs.in.currency && quote.outputCurrency === legs.out.currency;
  if (!same || kept !== amount || amountIn === 0n || amountOut === 0n) {
    throw new UpstreamError('its quote differs from the request', { kind: 'unreadable' });
  }
  return { amountIn, amountOut };
}

/** Less than what the ramp takes would not do: it is rounded up to what can be sent and told. @throws UpstreamError */
const enough = (text: string, { unit }: Leg): BaseUnits => roundToWire(readWireAmount(text, unit, 'up'), unit, 'up');

interface WireFee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/** A charge on the side that bears it; the ramp counts reais in its own token at times. Nothing where neither side does. */
function feeOf(legs: Legs, { type, amount, currency }: WireFee): RampFee[] {
  const isOf = (leg: Leg): boolean => leg.currency === currency || (currency === 'BRLA' && leg.currency === 'BRL');
  const asset = isOf(legs.in) ? 'in' : isOf(legs.out) ? 'out' : undefined;
  if (asset === undefined) return [];
  const units = fromWireAmount(amount, legs[asset].unit);
  return units === undefined || units === 0n ? [] : [{ label: type, asset, amount: units }];
}

/**
 * A quote of a route. The ramp takes tokens with six decimals: an amount in that is finer is rounded down (what is over
 * stays in the wallet), an amount out is rounded up, and the quote tells the rounded amount.
 *
 * @throws RAMP_AMOUNT_OUT_OF_RANGE, AMOUNT_EXCEEDS_PROVIDER_LIMIT, RAMP_PROVIDER_NOT_ELIGIBLE, QUOTE_GENERATION_FAILED
 */
export async function quoteRoute(
  api: PrimaryRampApi,
  request: RampQuoteRequest,
  signal: AbortSignal,
): Promise<RampQuote> {
  const { route, side, account, thirdParty } = request;
  const legs = routeLegs(api.networks, route);
  const amount = roundToWire(request.amount, legs[side].unit, side === 'in' ? 'down' : 'up');
  const askedAt = api.now();
  const accountId = account?.accountId;
  try {
    const [quote, limits] = await Promise.all([
      requestFixedRate(api, { legs, side, amount, accountId, thirdParty }, signal),
      account === undefined ? [] : requestAccountLimits(api, account, signal),
    ]);
    assertWithinAccountLimits(limits, { route, quote });
    const { amountIn, amountOut, fees, quoteToken } = quote;
    return { amountIn, amountOut, fees, expiresAt: new Date(askedAt + TOKEN_LIFE_MS), execution: { quoteToken } };
  } catch (error) {
    throw quoteFailure(route, error);
  }
}
