import { serviceError, type ServiceError } from '../errors/service-error';
import { formatBaseUnits, parseBaseUnits } from '../money/base-units';
import { toMicroUsd, usdValue } from '../money/usd';
import type { Token } from '../tokens/token';
import type { QuoteRequest } from '../venues/quote-provider';
import type { ProviderResult } from '../venues/request-provider-quote';
import type { PricedInput } from './largest-trade';
import type { MarketData } from './market-data';
import { type PriceImpact, tradeImpact } from './price-impact';

/** The result of a provider, with the market and the bound that its price is measured against. */
export interface BoundedResult {
  readonly result: ProviderResult;
  readonly request: QuoteRequest;
  readonly market: MarketData;
  /** Largest price impact of an offer, in basis points. */
  readonly maximumBps: number;
}

/** A loss below one US cent is a rounding of small amounts. */
const NEGLIGIBLE_LOSS = toMicroUsd(10_000n);
/** From here on there is no bound: every price is allowed. */
const NO_BOUND_BPS = 10_000;

/** The impact of an offer that loses more than the bound; `undefined` for any other result. An unknown loss is allowed. */
export function refusedImpact({ result, request, market, maximumBps }: BoundedResult): PriceImpact | undefined {
  if (result.outcome !== 'quote' || maximumBps >= NO_BOUND_BPS) return undefined;
  const impact = tradeImpact({ request, offer: result.quote, market });
  if (impact === undefined || impact.bps <= maximumBps) return undefined;
  const price = market.tokenOut?.usd;
  const isNegligible = price !== undefined && usdValue(impact.lost, request.tokenOut.decimals, price) < NEGLIGIBLE_LOSS;
  return isNegligible ? undefined : impact;
}

/**
 * The maximum of a venue that cannot fill the amount within one chain, which may lose more than the bound. `undefined` for
 * bridges, which state exact limits, and without a bound.
 */
export function statedCapacity({ result, request, maximumBps }: BoundedResult): bigint | undefined {
  if (result.outcome !== 'failed' || result.error.code !== 'AMOUNT_IN_TOO_HIGH') return undefined;
  const maximum = result.error.details?.['maximum'];
  const isOneChain = request.origin.chainId === request.destination.chainId;
  const isBounded = isOneChain && maximumBps < NO_BOUND_BPS;
  return isBounded && typeof maximum === 'string' ? parseBaseUnits(maximum) : undefined;
}

/**
 * AMOUNT_IN_TOO_HIGH with the largest amount within the bound, on both sides for an exact output. `priceImpactBps` is that of
 * the refused offer; `undefined` when the venue cannot fill the amount.
 */
export function tooHighError(
  { request, maximumBps }: Pick<BoundedResult, 'request' | 'maximumBps'>,
  { amountIn, amountOut }: PricedInput,
  priceImpactBps?: number,
): ServiceError {
  const { tokenIn, tokenOut, side } = request;
  const output = side === 'in' ? '' : ` for ${textOf(amountOut, tokenOut)}`;
  const maximum = `~${textOf(amountIn, tokenIn)}${output} with a price impact of at most ${percent(maximumBps)}`;
  const details = {
    maximum: amountIn.toString(),
    currency: tokenIn.symbol,
    decimals: tokenIn.decimals,
    ...(side === 'in' ? {} : { maximumAmountOut: amountOut.toString() }),
    ...(priceImpactBps === undefined ? {} : { priceImpactBps }),
    maxPriceImpactBps: maximumBps,
  };
  return serviceError('AMOUNT_IN_TOO_HIGH', { maximum }, { details });
}

/** QUOTE_GENERATION_FAILED for a price below the bound, where no amount within the bound was found. */
export function priceError(priceImpactBps: number, maxPriceImpactBps: number): ServiceError {
  const [impact, maximum] = [percent(priceImpactBps), percent(maxPriceImpactBps)];
  const reason = `the price is ${impact} below the market, more than the allowed ${maximum}`;
  return serviceError('QUOTE_GENERATION_FAILED', { reason }, { details: { priceImpactBps, maxPriceImpactBps } });
}

/** The error of `priceError` with the smallest price impact; `undefined` when there is none. */
export function closestPriceError(errors: readonly ServiceError[]): ServiceError | undefined {
  const priced = errors.flatMap((error) => {
    const impactBps = error.code === 'QUOTE_GENERATION_FAILED' ? error.details?.['priceImpactBps'] : undefined;
    return typeof impactBps === 'number' ? [{ error, impactBps }] : [];
  });
  return priced.sort((a, b) => a.impactBps - b.impactBps)[0]?.error;
}

const textOf = (amount: bigint, { decimals, symbol }: Token): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;

const percent = (bps: number): string => `${formatBaseUnits(BigInt(bps), 2)} %`;
