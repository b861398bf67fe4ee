import { isNativeToken } from '../chains/addresses';
import { type ServiceError, serviceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';
import { divideUp } from '../money/divide-up';
import { toMicroUsd, usdCost, type UsdPrice } from '../money/usd';
import { amountInTooLow } from '../venues/amount-bounds';
import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { ProviderResult } from '../venues/request-provider-quote';
import type { MarketData } from './market-data';

/** A request, and the prices at which the native fees of its offers are valued. */
export interface PricedRequest {
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn' | 'tokenOut'>;
  readonly market: Pick<MarketData, 'tokenIn' | 'tokenOut' | 'native'>;
}

type Offer = Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'nativeFee'>;

/**
 * Value of an offer's native fee in base units of `tokenOut`, rounded up; 0 without a fee. Without a price of `tokenOut` it
 * counts as a share of the input. `undefined` when that has no price either, or the native coin has none.
 */
export function nativeFeeInTokenOut(offer: Offer, { request, market }: PricedRequest): bigint | undefined {
  const { nativeFee = 0n, amountIn, expectedAmountOut } = offer;
  if (nativeFee === 0n) return 0n;
  const { origin, tokenIn, tokenOut } = request;
  const fee = { amount: nativeFee, decimals: origin.nativeCurrency.decimals, price: market.native?.usd };
  const inTokenOut = valueIn({ decimals: tokenOut.decimals, price: market.tokenOut?.usd }, fee);
  if (inTokenOut !== undefined) return inTokenOut;
  const sold = { decimals: tokenIn.decimals, price: market.tokenIn?.usd };
  const inTokenIn = isNativeToken(tokenIn.address) ? nativeFee : valueIn(sold, fee);
  return inTokenIn === undefined ? undefined : divideUp(inTokenIn * expectedAmountOut, amountIn);
}

interface PricedUnit {
  readonly decimals: number;
  readonly price: UsdPrice | undefined;
}

/** Base units of a token that are worth an amount of another token; `undefined` when one of them has no price. */
function valueIn(
  unit: PricedUnit,
  { amount, decimals, price }: PricedUnit & { readonly amount: bigint },
): bigint | undefined {
  if (unit.price === undefined || price === undefined) return undefined;
  return divideUp(amount * price * 10n ** BigInt(unit.decimals), unit.price * 10n ** BigInt(decimals));
}

/** How many times the output has to be worth the native fee. */
const MIN_OUTPUT_PER_FEE = 4n;
/** Largest fee that is accepted while it cannot be compared with the output: five US dollars. */
const MAX_UNCOMPARED_FEE = toMicroUsd(5_000_000n);

/**
 * The result of a provider: a failure when its native fee is out of proportion to the trade. No amount of a quote limits this
 * fee, which the venue alone states.
 *
 * - AMOUNT_IN_TOO_LOW: a larger amount would be worth its fee.
 * - QUOTE_GENERATION_FAILED: prices of the tokens are missing, and the fee is more than five US dollars or has no price.
 */
export function withBoundedNativeFee(result: ProviderResult, priced: PricedRequest): ProviderResult {
  const error = result.outcome === 'quote' ? nativeFeeError(result.quote, priced) : undefined;
  return error === undefined ? result : { provider: result.provider, outcome: 'failed', error };
}

function nativeFeeError(offer: ProviderQuote, priced: PricedRequest): ServiceError | undefined {
  const { amountIn, expectedAmountOut } = offer;
  const fee = nativeFeeInTokenOut(offer, priced);
  if (fee === undefined) return uncomparedFeeError(offer, priced);
  const minAmountOut = fee * MIN_OUTPUT_PER_FEE;
  if (expectedAmountOut >= minAmountOut) return undefined;
  return amountInTooLow(divideUp(amountIn * minAmountOut, expectedAmountOut), priced.request.tokenIn);
}

/** `undefined` for a small fee. */
function uncomparedFeeError(
  { nativeFee = 0n }: ProviderQuote,
  { request, market }: PricedRequest,
): ServiceError | undefined {
  const { decimals, symbol } = request.origin.nativeCurrency;
  const price = market.native?.usd;
  if (price !== undefined && usdCost(nativeFee, decimals, price) <= MAX_UNCOMPARED_FEE) return undefined;
  const fee = `${formatBaseUnits(nativeFee, decimals)} ${symbol}`;
  const reason = `the fee of ${fee} cannot be compared with the output, because prices are missing`;
  return serviceError('QUOTE_GENERATION_FAILED', { reason });
}
