import type { CustomerId } from '../auth/principal';
import type { RawFields } from '../errors/field-reader';
import { noRouteError } from './request/no-route-error';
import { withBoundedImpacts } from './price-impact-bound';
import { type QuotedRequest, requestAllQuotes, pricedSwap, type QuoteDeps } from './quote-swap';
import type { SavePriceQuotes } from './quote-store';
import { quoteView, type QuoteView } from './quote-view';

/** The result of one provider: its quote, or why it has none. */
export interface ProviderQuoteOutcome {
  readonly provider: string;
  readonly quote: QuoteView | undefined;
  readonly reason: { readonly code: string; readonly message: string } | undefined;
}

export interface SwapQuotesDeps extends QuoteDeps {
  readonly savePrices: SavePriceQuotes;
}

export interface SwapQuotesParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
}

/**
 * Returns a quote or a reason for every provider that serves the route. Every quote is stored, so any of them can be
 * executed.
 */
export async function swapQuotes(
  deps: SwapQuotesDeps,
  { customerId, fields }: SwapQuotesParameters,
): Promise<readonly ProviderQuoteOutcome[]> {
  const requested = await requestAllQuotes(deps, { customerId, fields });
  const quoted = { ...requested, results: await withBoundedImpacts(deps, requested) };
  const priced = quoted.results.map((result) =>
    result.outcome === 'quote' ? pricedSwap(quoted, result.quote) : undefined,
  );
  const quotes = priced.map((swap) => (swap === undefined ? undefined : { customerId, swap, view: quoteView(swap) }));
  await deps.savePrices(quotes.filter((quote) => quote !== undefined));
  return quoted.results.map((result, index) => ({
    provider: shownProvider(quoted, result),
    quote: quotes[index]?.view,
    reason: reasonOf(quoted, result),
  }));
}

/** The provider's name as shown: on fiat routes the requested name of the ramp. */
export const shownProvider = (
  { request: { fiat } }: Pick<QuotedRequest, 'request'>,
  { provider }: QuotedRequest['results'][number],
): string => fiat?.name ?? provider;

/** The reason why a provider has no quote; `undefined` when it has one. */
export function reasonOf(
  { intent }: Pick<QuotedRequest, 'intent'>,
  result: QuotedRequest['results'][number],
): ProviderQuoteOutcome['reason'] {
  if (result.outcome === 'quote') return undefined;
  const { code, message } = result.outcome === 'failed' ? result.error : noRouteError(intent);
  return { code, message };
}
