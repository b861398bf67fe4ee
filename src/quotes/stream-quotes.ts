import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderAnswer } from '../venues/ask-provider';
import { pricedSwap, type QuoteDeps } from './quote-swap';
import { quoteView } from './quote-view';
import { type Market, readMarket } from './read-market';
import { type CustomerRequest, type ResolvedRequest, resolveRequest } from './request/resolve-request';
import type { StreamSlots } from './stream-slots';
import { type ProviderQuoteOutcome, reasonOf, shownProvider, type SwapQuotesDeps } from './swap-quotes';

/** What one provider said, as soon as it said it. */
export interface StreamedQuote extends ProviderQuoteOutcome {
  /** Counts from 1; a new round begins before the quotes of the last one end. */
  readonly round: number;
  /** Providers of this round that have not answered yet. */
  readonly outstanding: number;
}

export interface StreamDeps extends SwapQuotesDeps {
  readonly slots: StreamSlots;
}

export interface StreamParameters extends CustomerRequest {
  /** Called before each round but the first, which the request itself has paid for. What it throws ends the stream. */
  readonly payRound: () => Promise<void>;
  /** Ends the stream: nobody is asked any more, and questions that nobody else waits for are given up. */
  readonly signal: AbortSignal;
}

/** A new round begins when this much of a quote's lifetime is left: enough to sign a transaction of the last one. */
const RENEWED_WITH_LEFT = 0.2;
/** A stream that nobody ends asks so many times: with quotes of five minutes, for four hours. */
const MOST_ROUNDS = 60;

/**
 * The answer of each provider as it comes; all of them are asked again before the quotes end. Each quote is stored: any
 * of them can be executed.
 *
 * @throws what `resolveRequest` throws; SERVICE_UNAVAILABLE when too many streams are open.
 */
export async function streamQuotes(
  deps: StreamDeps,
  parameters: StreamParameters,
): Promise<AsyncGenerator<StreamedQuote, void>> {
  const { customerId, signal } = parameters;
  const leave = deps.slots.take(customerId);
  try {
    const first = await resolveRequest(deps, parameters);
    signal.addEventListener('abort', leave, { once: true }); // also when nobody asks for the first answer any more
    if (signal.aborted) leave();
    return rounds(deps, { ...parameters, first, leave });
  } catch (error) {
    leave();
    throw error;
  }
}

interface OpenStream extends StreamParameters {
  readonly first: ResolvedRequest;
  readonly leave: () => void;
}

async function* rounds(deps: StreamDeps, stream: OpenStream): AsyncGenerator<StreamedQuote, void> {
  const { signal, leave, payRound } = stream;
  try {
    let resolved = stream.first;
    for (let round = 1; !signal.aborted; round++) {
      const next = wait(deps.quoteLifetimeSeconds * 1000 * (1 - RENEWED_WITH_LEFT), undefined, { signal, ref: false });
      next.catch(() => undefined); // awaited below, when the round is over
      for await (const outcome of outcomesOf(deps, stream, resolved)) yield { round, ...outcome };
      if (round === MOST_ROUNDS) return;
      await next;
      await payRound();
      resolved = await resolveRequest(deps, stream);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

type Outcome = Omit<StreamedQuote, 'round'>;

/** One round. Asking never throws and takes at most the budget, so that every round ends. */
async function* outcomesOf(
  deps: SwapQuotesDeps,
  { customerId, signal }: OpenStream,
  resolved: ResolvedRequest,
): AsyncGenerator<Outcome, void> {
  const { providers, request } = resolved;
  const terms = termsOf(deps, resolved);
  const waiting = new Map(
    providers.map((provider) => [provider.id, withTerms(terms, deps.askProvider(provider, request, signal))] as const),
  );
  while (waiting.size > 0) {
    const { answer, market, deadline } = await Promise.race(waiting.values());
    waiting.delete(answer.provider);
    if (signal.aborted) return;
    const outstanding = waiting.size;
    const provider = shownProvider(resolved, answer);
    if (answer.outcome === 'quote') {
      const swap = pricedSwap({ ...resolved, market, deadline }, answer.quote);
      const quote = quoteView(swap);
      await deps.savePrices([{ customerId, swap, view: quote }]);
      yield { outstanding, provider, quote, reason: undefined };
    } else {
      yield { outstanding, provider, quote: undefined, reason: reasonOf(resolved, answer) };
    }
  }
}

/** What every quote of a round is shown with. */
interface Terms {
  readonly market: Market;
  readonly deadline: Date;
}

async function termsOf(deps: QuoteDeps, { request }: ResolvedRequest): Promise<Terms> {
  const [market, deadline] = await Promise.all([
    readMarket(deps, request),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  return { market, deadline };
}

async function withTerms(
  terms: Promise<Terms>,
  asked: Promise<ProviderAnswer>,
): Promise<Terms & { readonly answer: ProviderAnswer }> {
  const [{ market, deadline }, answer] = await Promise.all([terms, asked]);
  return { market, deadline, answer };
}
