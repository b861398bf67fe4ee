import type { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import type { BaseUnits } from '../../../money/base-units';
import { isUnknownRange } from '../../amount-errors';
import type { RampFee, RampQuote, RampQuoteRequest } from '../../ramp-provider';
import { refusedAmountError } from '../../refused-amount';
import { fiatSide } from '../../route-limits';
import { quoteFailure } from './failures';
import { assertWithinAccountLimits, requestAccountLimits } from './account-limits';
import type { PrimaryRampApi } from './ramp-api';
import { type RampSide, type RampSides, routeSides } from './route-sides';
import { fromApiAmount, readApiAmount, roundToApiPrecision, toApiAmount } from './api-amount';
import { fixedRateQuote, readResponse } from './api-schemas';

/** Lifetime of a quote token at the ramp. */
const QUOTE_LIFETIME_MS = 15_000;

/** The parameters of a fixed-rate quote. */
export interface FixedRateRequest {
  readonly sides: RampSides;
  readonly side: 'in' | 'out';
  /** A multiple of the precision of the side's unit. */
  readonly amount: BaseUnits;
  readonly accountId: string | undefined;
  readonly thirdParty: boolean;
  /** The BR Code of the charge that a Pix payout settles. */
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
  const { sides, side, amount, accountId } = request;
  const response = await http.get(
    '/v2/account/quote/fixed-rate',
    {
      inputCurrency: sides.in.currency,
      inputPaymentMethod: sides.in.method,
      outputCurrency: sides.out.currency,
      outputPaymentMethod: sides.out.method,
      inputAmount: side === 'in' ? toApiAmount(amount, sides.in.unit) : undefined,
      outputAmount: side === 'out' ? toApiAmount(amount, sides.out.unit) : undefined,
      inputThirdParty: false,
      outputThirdParty: request.thirdParty,
      // Required for token inputs, also from the person's own account, where no signature is needed.
      blockchainSendMethod: sides.in.method === 'INTERNAL' ? 'PERMIT' : undefined,
      outputBrCode: request.brCode,
      subAccountId: accountId,
    },
    signal,
  );
  const quote = readResponse(fixedRateQuote, response);
  const { amountIn, amountOut } = readAmounts(request, quote);
  const fees = (quote.appliedFees ?? []).flatMap((fee) => toRampFees(sides, fee));
  return { quoteToken: quote.quoteToken, amountIn, amountOut, fees };
}

type WireQuote = z.output<typeof fixedRateQuote>;

/** Reads both amounts. @throws UpstreamError when the quote differs from the request */
function readAmounts({ sides, side, amount }: FixedRateRequest, quote: WireQuote) {
  const amountIn =
    side === 'in' ? readApiAmount(quote.inputAmount, sides.in.unit) : readRoundedUp(quote.inputAmount, sides.in);
  const amountOut = readApiAmount(quote.outputAmount, sides.out.unit);
  const exact = side === 'in' ? amountIn : amountOut;
  const isSameRoute = quote.inputCurrency === sides.in.currency && quote.outputCurrency === sides.out.currency;
  if (!isSameRoute || exact !== amount || amountIn === 0n || amountOut === 0n) {
    throw new UpstreamError('its quote differs from the request', { kind: 'unreadable' });
  }
  return { amountIn, amountOut };
}

/** Rounds the required input up, because the ramp refuses less. @throws UpstreamError */
const readRoundedUp = (text: string, { unit }: RampSide): BaseUnits =>
  roundToApiPrecision(readApiAmount(text, unit, 'up'), unit, 'up');

interface WireFee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/** A fee on the side of its currency. The ramp states some fees in reais as BRLA. Empty for a fee in another currency. */
function toRampFees(sides: RampSides, { type, amount, currency }: WireFee): RampFee[] {
  const isOf = (side: RampSide): boolean =>
    side.currency === currency || (currency === 'BRLA' && side.currency === 'BRL');
  const asset = isOf(sides.in) ? 'in' : isOf(sides.out) ? 'out' : undefined;
  if (asset === undefined) return [];
  const units = fromApiAmount(amount, sides[asset].unit);
  return units === undefined || units === 0n ? [] : [{ label: type, asset, amount: units }];
}

/**
 * Quotes a route. The ramp's precision for tokens is six decimals: an exact input is rounded down (the rest stays in the
 * wallet), an exact output is rounded up, and the quote has the rounded amount.
 *
 * @throws RAMP_AMOUNT_OUT_OF_RANGE, AMOUNT_EXCEEDS_PROVIDER_LIMIT, RAMP_PROVIDER_NOT_ELIGIBLE, QUOTE_GENERATION_FAILED
 */
export async function quoteRoute(
  api: PrimaryRampApi,
  request: RampQuoteRequest,
  signal: AbortSignal,
): Promise<RampQuote> {
  const { route, side, account, thirdParty } = request;
  const sides = routeSides(api.networks, route);
  const amount = roundToApiPrecision(request.amount, sides[side].unit, side === 'in' ? 'down' : 'up');
  const [requestedAt, startedAt] = [api.now(), performance.now()];
  const accountId = account?.accountId;
  try {
    const [quote, limits] = await Promise.all([
      requestFixedRate(api, { sides, side, amount, accountId, thirdParty }, signal),
      account === undefined ? [] : requestAccountLimits(api, account, signal),
    ]);
    assertWithinAccountLimits(limits, { route, quote });
    const { amountIn, amountOut, fees, quoteToken } = quote;
    return {
      amountIn,
      amountOut,
      fees,
      expiresAt: new Date(requestedAt + QUOTE_LIFETIME_MS),
      execution: { quoteToken },
    };
  } catch (error) {
    const failure = quoteFailure(error);
    if (!isUnknownRange(failure)) throw failure;
    const quoteFiat = fiatPricer(api, { route, sides, thirdParty });
    throw await refusedAmountError({ request, requestedAt: startedAt, ramp: api, quoteFiat }, failure.cause);
  }
}

/** Prices exact amounts of fiat without a payer. @throws as `quoteRoute` */
const fiatPricer =
  (api: PrimaryRampApi, priced: Pick<RampQuoteRequest, 'route' | 'thirdParty'> & { readonly sides: RampSides }) =>
  async (cents: BaseUnits, signal: AbortSignal): Promise<FixedRateQuote> => {
    const { route, sides, thirdParty } = priced;
    const request = { sides, side: fiatSide(route), amount: cents, accountId: undefined, thirdParty };
    try {
      return await requestFixedRate(api, request, signal);
    } catch (error) {
      throw quoteFailure(error);
    }
  };
