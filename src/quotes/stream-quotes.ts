import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderResult } from '../venues/request-provider-quote';
import { pricedSwap, type QuoteDeps } from './quote-swap';
import { quoteView } from './quote-view';
import { type MarketData, readMarketData } from './market-data';
import { type CustomerRequest, type ResolvedRequest, resolveRequest } from './request/resolve-request';
import { customerLimitError, type FindCustomerLimit } from '../auth/customer-limits';
import { createSharedCapacity, type SharedCapacity } from '../async/shared-capacity';
import { type ProviderQuoteOutcome, reasonOf, shownProvider, type SwapQuotesDeps } from './swap-quotes';

/** Bounds the open quote streams of this process, per customer and in total. */
export function createStreamSlots({ perCustomer = 50, total = 2000 } = {}): SharedCapacity {
  return createSharedCapacity({
    perCustomer,
    total,
    customerError: (maximum) => customerLimitError('quoteStreams', maximum),
    full: 'too many quote streams are open',
  });
}

/** The result of one provider, as soon as it arrives. */
export interface StreamedQuote extends ProviderQuoteOutcome {
  /** Counts from 1; a new round begins before the quotes of the previous one expire. */
  readonly round: number;
  /** Providers of this round whose results are outstanding. */
  readonly outstanding: number;
}

export interface StreamDeps extends SwapQuotesDeps {
  readonly slots: SharedCapacity;
  readonly findLimit: FindCustomerLimit;
}

export interface StreamParameters extends CustomerRequest {
  /** Counts one request against the rate limit before each round after the first. An error it throws ends the stream. */
  readonly countRoundRequest: () => Promise<void>;
  /** Ends the stream: no further requests are made, and requests that no other caller waits for are cancelled. */
  readonly signal: AbortSignal;
}

/** A new round begins when this share of a quote's lifetime remains: enough to sign a transaction of the previous one. */
const RENEWAL_SHARE = 0.2;
/** Bounds a stream that is never closed: with quotes of five minutes, to four hours. */
const MAX_ROUNDS = 60;

/**
 * Yields the result of each provider as it arrives, and starts a new round before the quotes expire. Every quote is
 * stored, so any of them can be executed.
 *
 * @throws what `resolveRequest` throws; RATE_LIMIT_EXCEEDED when the customer has too many
 * streams open, SERVICE_UNAVAILABLE when all customers together have.
 */
export async function streamQuotes(
  deps: StreamDeps,
  parameters: StreamParameters,
): Promise<AsyncGenerator<StreamedQuote, void>> {
  const { customerId, signal } = parameters;
  const leave = deps.slots.take(customerId, 1, await deps.findLimit(customerId, 'quoteStreams'));
  try {
    const first = await resolveRequest(deps, parameters);
    signal.addEventListener('abort', leave, { once: true }); // also when the consumer never reads the first result
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
  const { signal, leave, countRoundRequest } = stream;
  try {
    let resolved = stream.first;
    for (let round = 1; !signal.aborted; round++) {
      const next = wait(deps.quoteLifetimeSeconds * 1000 * (1 - RENEWAL_SHARE), undefined, { signal, ref: false });
      next.catch(() => undefined); // awaited below, when the round is over
      for await (const outcome of outcomesOf(deps, stream, resolved)) yield { round, ...outcome };
      if (round === MAX_ROUNDS) return;
      await next;
      await countRoundRequest();
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

/** One round. Requests never throw and take at most the budget, so every round ends. */
async function* outcomesOf(
  deps: SwapQuotesDeps,
  { customerId, signal }: OpenStream,
  resolved: ResolvedRequest,
): AsyncGenerator<Outcome, void> {
  const { providers, request } = resolved;
  const terms = termsOf(deps, resolved);
  const waiting = new Map(
    providers.map(
      (provider) => [provider.id, withTerms(terms, deps.requestProviderQuote(provider, request, signal))] as const,
    ),
  );
  while (waiting.size > 0) {
    const { result, market, deadline } = await Promise.race(waiting.values());
    waiting.delete(result.provider);
    if (signal.aborted) return;
    const outstanding = waiting.size;
    const provider = shownProvider(resolved, result);
    if (result.outcome === 'quote') {
      const swap = pricedSwap({ ...resolved, market, deadline }, result.quote);
      const quote = quoteView(swap);
      await deps.savePrices([{ customerId, swap, view: quote }]);
      yield { outstanding, provider, quote, reason: undefined };
    } else {
      yield { outstanding, provider, quote: undefined, reason: reasonOf(resolved, result) };
    }
  }
}

/** Market data and deadline shared by the quotes of a round. */
interface RoundTerms {
  readonly market: MarketData;
  readonly deadline: Date;
}

async function termsOf(deps: QuoteDeps, { request }: ResolvedRequest): Promise<RoundTerms> {
  const [market, deadline] = await Promise.all([
    readMarketData(deps, request),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  return { market, deadline };
}

async function withTerms(
  terms: Promise<RoundTerms>,
  requested: Promise<ProviderResult>,
): Promise<RoundTerms & { readonly result: ProviderResult }> {
  const [{ market, deadline }, result] = await Promise.all([terms, requested]);
  return { market, deadline, result };
}
