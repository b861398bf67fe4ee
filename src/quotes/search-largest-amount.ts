import { anySignal } from '../async/any-signal';
import { invariant } from '../errors/invariant-error';
import type { ServiceError } from '../errors/service-error';
import { toBaseUnits } from '../money/base-units';
import type { QuoteProvider } from '../venues/quote-provider';
import type { ProviderResult, RequestProviderQuote } from '../venues/request-provider-quote';
import { findLargestTrade, type PricedInput, type RejectedInput } from './largest-trade';
import { largestTradesOf } from './largest-trades';
import { tradeImpact } from './price-impact';
import { type BoundedResult, priceError, refusedImpact, statedCapacity, tooHighError } from './refused-price';

export interface AmountSearchDeps {
  readonly requestProviderQuote: RequestProviderQuote;
  /** Maximum time for the search of a smaller amount, in milliseconds. */
  readonly budgetMs: number;
}

/** A result whose provider can be requested for other amounts. */
export interface SearchableResult extends BoundedResult {
  readonly providers: readonly QuoteProvider[];
}

/**
 * Requests smaller amounts of a provider. AMOUNT_IN_TOO_HIGH with the largest amount within the bound replaces a refused offer,
 * and the error of a venue that cannot fill the amount, because the venue's own maximum may lose more. QUOTE_GENERATION_FAILED
 * replaces a refused offer when no amount is found. Any other result is returned unchanged.
 */
export async function withLargestAmount(
  deps: AmountSearchDeps,
  bounded: SearchableResult,
  signal?: AbortSignal,
): Promise<ProviderResult> {
  const { result, providers } = bounded;
  const provider = providers.find(({ id }) => id === result.provider);
  invariant(provider, 'a result is of a requested provider');
  const search = { deps, bounded, provider, signal, timeout: AbortSignal.timeout(deps.budgetMs) };
  const impact = refusedImpact(bounded);
  if (result.outcome === 'quote' && impact !== undefined)
    return refuseOffer(search, { amountIn: result.quote.amountIn, impactBps: impact.bps });
  const capacity = statedCapacity(bounded);
  return capacity === undefined ? result : refuseAmount(search, capacity);
}

interface AmountSearch {
  readonly deps: AmountSearchDeps;
  readonly bounded: BoundedResult;
  readonly provider: QuoteProvider;
  readonly signal: AbortSignal | undefined;
  /** Ends the search. */
  readonly timeout: AbortSignal;
}

async function refuseOffer(
  search: AmountSearch,
  offered: RejectedInput & { readonly impactBps: number },
): Promise<ProviderResult> {
  const { bounded } = search;
  const { impactBps } = offered;
  const largest = await largestBelow(search, offered);
  const error =
    largest === undefined ? priceError(impactBps, bounded.maximumBps) : tooHighError(bounded, largest, impactBps);
  return failed(search, error);
}

async function refuseAmount(search: AmountSearch, capacity: bigint): Promise<ProviderResult> {
  const { bounded, deps, signal, timeout } = search;
  const trades = largestTradesOf(deps.requestProviderQuote);
  const known = trades.find({ key: keyOf(search), refusedIn: capacity + 1n });
  if (known !== undefined) return failed(search, tooHighError(bounded, known));
  const ended = signal === undefined ? timeout : anySignal(signal, timeout);
  const result = await requestExactIn(search, capacity, ended);
  // A token that the venue cannot trade at all.
  if (result.outcome === 'noRoute') return result;
  const priced = pricedInput(search, capacity, result);
  if (priced === undefined) return bounded.result;
  const largest = await largestUpTo(search, capacity, priced);
  if (largest !== undefined) return failed(search, tooHighError(bounded, largest));
  return priced === 'tooHigh' ? bounded.result : failed(search, priceError(priced.impactBps, bounded.maximumBps));
}

/** The capacity itself, or the largest trade below it. */
async function largestUpTo(
  search: AmountSearch,
  capacity: bigint,
  priced: PricedInput | 'tooHigh',
): Promise<PricedInput | undefined> {
  if (priced === 'tooHigh') return largestBelow(search, { amountIn: capacity, impactBps: undefined });
  return priced.impactBps <= search.bounded.maximumBps ? priced : largestBelow(search, priced);
}

const failed = ({ provider: { id } }: AmountSearch, error: ServiceError): ProviderResult => ({
  provider: id,
  outcome: 'failed',
  error,
});

/** `undefined` when none is found, and when the caller stops waiting. */
async function largestBelow(search: AmountSearch, rejected: RejectedInput): Promise<PricedInput | undefined> {
  const { deps, bounded, signal, timeout } = search;
  const { request, maximumBps } = bounded;
  const searchUntil = (ended: AbortSignal) =>
    findLargestTrade({
      rejected,
      maximumBps,
      price: async (amountIn) => pricedInput(search, amountIn, await requestExactIn(search, amountIn, ended)),
    });
  const run = (abandoned: AbortSignal) => searchUntil(anySignal(abandoned, timeout));
  // The prices of a ramp depend on the account.
  if (request.fiat !== undefined) return (await run(signal ?? timeout)).accepted;
  const shared = { key: keyOf(search), refusedIn: rejected.amountIn, search: run };
  return largestTradesOf(deps.requestProviderQuote)
    .findOrSearch(shared, signal)
    .catch((error: unknown) => {
      if (signal?.aborted === true) return undefined;
      throw error;
    });
}

function keyOf({ bounded: { request, maximumBps }, provider }: AmountSearch): string {
  const { origin, destination, tokenIn, tokenOut } = request;
  return [provider.id, origin.chainId, destination.chainId, tokenIn.address, tokenOut.address, maximumBps].join(' ');
}

/** Prices an exact input with the provider, also for a request with an exact output. */
const requestExactIn = (
  { deps, bounded: { request }, provider }: AmountSearch,
  amountIn: bigint,
  signal: AbortSignal,
): Promise<ProviderResult> =>
  deps.requestProviderQuote(provider, { ...request, side: 'in', amount: toBaseUnits(amountIn) }, signal);

function pricedInput(
  { bounded: { request, market } }: AmountSearch,
  amountIn: bigint,
  result: ProviderResult,
): PricedInput | 'tooHigh' | undefined {
  if (result.outcome === 'quote') {
    const { expectedAmountOut: amountOut } = result.quote;
    return { amountIn, amountOut, impactBps: tradeImpact({ request, offer: result.quote, market })?.bps ?? 0 };
  }
  return result.outcome === 'failed' && result.error.code === 'AMOUNT_IN_TOO_HIGH' ? 'tooHigh' : undefined;
}
