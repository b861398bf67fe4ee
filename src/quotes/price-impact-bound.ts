import type { ProviderResult } from '../venues/request-provider-quote';
import { type BoundedResult, priceError, refusedImpact, statedCapacity } from './refused-price';
import type { SwapIntent } from './request/swap-intent';
import { type AmountSearchDeps, type SearchableResult, withLargestAmount } from './search-largest-amount';

export interface ImpactBoundDeps extends AmountSearchDeps {
  /** Largest price impact of an offer in basis points, unless the request sets its own. */
  readonly maxPriceImpactBps: number;
}

/** A request with the market that its offers are measured against. */
export interface BoundedRequest extends Pick<SearchableResult, 'request' | 'providers' | 'market'> {
  readonly intent: Pick<SwapIntent, 'maxPriceImpactBps'>;
}

/**
 * The results without the offers that lose more than the request allows: each of them is replaced by its error. Smaller
 * amounts are searched only when no offer is left, because each search is several requests to a provider.
 */
export async function withBoundedImpacts(
  deps: ImpactBoundDeps,
  quoted: BoundedRequest & { readonly results: readonly ProviderResult[] },
): Promise<readonly ProviderResult[]> {
  const bounded = quoted.results.map((result) => boundedResult(deps, quoted, result));
  if (bounded.some(isAllowedOffer)) return bounded.map(withoutSearch);
  return Promise.all(bounded.map((each) => withLargestAmount(deps, each)));
}

/** The results of one round of a stream, in progress. */
export interface BoundedRound extends BoundedRequest {
  readonly arrivals: readonly Promise<ProviderResult>[];
  /** Results of the searches of this stream, by provider. A provider is searched once. */
  readonly searched: Map<string, ProviderResult>;
}

/**
 * Yields the results of a round as they arrive, as `withBoundedImpacts` returns them. A result that a search may replace waits
 * until another provider has an offer or all providers have responded.
 */
export async function* boundArrivals(
  deps: ImpactBoundDeps,
  round: BoundedRound,
  signal: AbortSignal,
): AsyncGenerator<ProviderResult, void> {
  const held: SearchableResult[] = [];
  let hasOffer = false;
  for await (const result of inOrderOfArrival(round.arrivals)) {
    const bounded = boundedResult(deps, round, result);
    if (isSearchable(bounded)) held.push(bounded);
    else yield result;
    hasOffer ||= isAllowedOffer(bounded);
    if (hasOffer) for (const each of held.splice(0)) yield withoutSearch(each);
  }
  yield* inOrderOfArrival(held.map((each) => searchOnce(deps, { each, searched: round.searched }, signal)));
}

/** Searches a provider at the first call. Later calls return what was found, with the current price if it was no amount. */
async function searchOnce(
  deps: ImpactBoundDeps,
  { each, searched }: { readonly each: SearchableResult } & Pick<BoundedRound, 'searched'>,
  signal: AbortSignal,
): Promise<ProviderResult> {
  const { provider } = each.result;
  const known = searched.get(provider);
  if (known !== undefined) return isAboutPrice(known) ? withoutSearch(each) : known;
  const result = await withLargestAmount(deps, each, signal);
  searched.set(provider, result);
  return result;
}

const isAboutPrice = (result: ProviderResult): boolean =>
  result.outcome === 'failed' && result.error.code === 'QUOTE_GENERATION_FAILED';

const boundedResult = (
  { maxPriceImpactBps }: Pick<ImpactBoundDeps, 'maxPriceImpactBps'>,
  { intent, request, providers, market }: BoundedRequest,
  result: ProviderResult,
): SearchableResult => ({
  result,
  request,
  providers,
  market,
  maximumBps: intent.maxPriceImpactBps ?? maxPriceImpactBps,
});

const isAllowedOffer = (bounded: BoundedResult): boolean =>
  bounded.result.outcome === 'quote' && refusedImpact(bounded) === undefined;

const isSearchable = (bounded: BoundedResult): boolean =>
  refusedImpact(bounded) !== undefined || statedCapacity(bounded) !== undefined;

/** The result, or the error of an offer that loses more than the bound, without an amount. */
function withoutSearch(bounded: BoundedResult): ProviderResult {
  const { result, maximumBps } = bounded;
  const impact = refusedImpact(bounded);
  if (impact === undefined) return result;
  return { provider: result.provider, outcome: 'failed', error: priceError(impact.bps, maximumBps) };
}

/** Yields the values of promises in the order in which they resolve. */
async function* inOrderOfArrival<Value>(promises: readonly Promise<Value>[]): AsyncGenerator<Value, void> {
  const waiting = new Map(
    promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))] as const),
  );
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values());
    waiting.delete(index);
    yield value;
  }
}
