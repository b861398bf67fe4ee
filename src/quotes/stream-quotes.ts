import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderResult } from '../venues/request-provider-quote';
import { pricedSwap, type QuoteDeps } from './quote-swap';
import { quoteView } from './quote-view';
import { type MarketData, readMarketData } from './market-data';
import { withBoundedNativeFee } from './native-fee';
import { boundArrivals, type BoundedRound } from './price-impact-bound';
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
  /** Resolves after the time in milliseconds, or rejects when the signal aborts. A timer by default. */
  readonly waitForRound?: (ms: number, signal: AbortSignal) => Promise<unknown>;
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
 * stored, so any of them can be executed. An offer that is refused for its price is reported once another provider has an
 * offer or all have responded.
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
    return rounds(deps, { ...parameters, first, leave, searched: new Map() });
  } catch (error) {
    leave();
    throw error;
  }
}

const waitByTimer = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal, ref: false });

interface OpenStream extends StreamParameters, Pick<BoundedRound, 'searched'> {
  readonly first: ResolvedRequest;
  readonly leave: () => void;
}

async function* rounds(deps: StreamDeps, stream: OpenStream): AsyncGenerator<StreamedQuote, void> {
  const { signal, leave, countRoundRequest } = stream;
  const { waitForRound = waitByTimer } = deps;
  try {
    let resolved = stream.first;
    for (let round = 1; !signal.aborted; round++) {
      const next = waitForRound(deps.quoteLifetimeSeconds * 1000 * (1 - RENEWAL_SHARE), signal);
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

/** One round. Requests never throw and take at most the budget, and so does the search of a bound: every round ends. */
async function* outcomesOf(
  deps: SwapQuotesDeps,
  stream: OpenStream,
  resolved: ResolvedRequest,
): AsyncGenerator<Outcome, void> {
  const { signal, searched } = stream;
  const { providers, request } = resolved;
  const requested = providers.map((provider) => deps.requestProviderQuote(provider, request, signal));
  const round = { ...resolved, ...(await termsOf(deps, resolved)) };
  const arrivals = requested.map(async (result) => withBoundedNativeFee(await result, round));
  let outstanding = providers.length;
  for await (const result of boundArrivals(deps, { ...round, arrivals, searched }, signal)) {
    if (signal.aborted) return;
    outstanding -= 1;
    yield { outstanding, ...(await outcomeOf(deps, { stream, round }, result)) };
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

interface OpenRound {
  readonly stream: OpenStream;
  readonly round: ResolvedRequest & RoundTerms;
}

/** The result as callers see it. Stores a quote. */
async function outcomeOf(
  { savePrices }: Pick<SwapQuotesDeps, 'savePrices'>,
  { stream, round }: OpenRound,
  result: ProviderResult,
): Promise<ProviderQuoteOutcome> {
  const provider = shownProvider(round, result);
  if (result.outcome !== 'quote') return { provider, quote: undefined, reason: reasonOf(round, result) };
  const swap = pricedSwap(round, result.quote);
  const quote = quoteView(swap);
  await savePrices([{ customerId: stream.customerId, swap, view: quote }]);
  return { provider, quote, reason: undefined };
}
