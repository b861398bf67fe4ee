import type { CustomerId } from '../auth/principal';
import type { RawFields } from '../errors/field-reader';
import { noRoute } from './choose-offer';
import { type AskedRequest, askEverybody, pricedSwap, type QuoteDeps } from './quote-swap';
import type { SavePrices } from './quote-store';
import { quoteView, type QuoteView } from './quote-view';

/** What one provider said: its quote, or why it has none. */
export interface ProviderQuoteOutcome {
  readonly provider: string;
  readonly quote: QuoteView | undefined;
  readonly reason: { readonly code: string; readonly message: string } | undefined;
}

export interface SwapQuotesDeps extends QuoteDeps {
  readonly savePrices: SavePrices;
}

export interface SwapQuotesParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
}

/**
 * The quote of every provider that serves the route, the ones that have none with their reason. Each quote is stored:
 * any of them can be executed.
 */
export async function swapQuotes(
  deps: SwapQuotesDeps,
  { customerId, fields }: SwapQuotesParameters,
): Promise<readonly ProviderQuoteOutcome[]> {
  const asked = await askEverybody(deps, { customerId, fields });
  const priced = asked.answers.map((answer) =>
    answer.outcome === 'quote' ? pricedSwap(asked, answer.quote) : undefined,
  );
  const quotes = priced.map((swap) => (swap === undefined ? undefined : { customerId, swap, view: quoteView(swap) }));
  await deps.savePrices(quotes.filter((quote) => quote !== undefined));
  return asked.answers.map((answer, index) => ({
    provider: shownProvider(asked, answer),
    quote: quotes[index]?.view,
    reason: reasonOf(asked, answer),
  }));
}

/** Who answered: a ramp, and what leads to it, by the name by which it was asked for. */
export const shownProvider = (
  { request: { fiat } }: Pick<AskedRequest, 'request'>,
  { provider }: AskedRequest['answers'][number],
): string => fiat?.name ?? provider;

/** Why a provider has no quote; `undefined` when it has one. */
export function reasonOf(
  { intent }: Pick<AskedRequest, 'intent'>,
  answer: AskedRequest['answers'][number],
): ProviderQuoteOutcome['reason'] {
  if (answer.outcome === 'quote') return undefined;
  const { code, message } = answer.outcome === 'failed' ? answer.error : noRoute(intent);
  return { code, message };
}
