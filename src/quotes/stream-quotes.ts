import { setTimeout as wait } from 'node:timers/promises';
import type { CustomerId } from '../auth/principal';
import type { ProviderAnswer } from './ask-provider';
import type { RawFields } from './field-reader';
import { saveQuotes } from './quote-store';
import { type AskedRequest, pricedSwap, type QuoteDeps } from './quote-swap';
import { quoteView } from './quote-view';
import { readMarket } from './read-market';
import { type CustomerRequest, resolveRequest } from './resolve-request';
import { type ProviderQuoteOutcome, reasonOf, type SwapQuotesDeps } from './swap-quotes';

/** What one provider said, as soon as it said it. */
export interface StreamedQuote extends ProviderQuoteOutcome {
  /** Counts from 1; a new round begins before the quotes of the last one end. */
  readonly round: number;
  /** Providers of this round that have not answered yet. */
  readonly outstanding: number;
}

export interface StreamParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/** A new round begins when this much of a quote's lifetime is left: enough to sign a transaction of the last one. */
const RENEWED_WITH_LEFT = 0.2;
/** A stream that nobody ends asks so many times: with quotes of five minutes, for four hours. */
const MOST_ROUNDS = 60;

/**
 * Yields the answer of each provider as it comes, and asks all of them again before the quotes end. Each quote is
 * stored: any of them can be executed. Ends with the signal.
 *
 * @throws what `resolveRequest` throws
 */
export async function* streamQuotes(
  deps: SwapQuotesDeps,
  { customerId, fields, signal }: StreamParameters,
): AsyncGenerator<StreamedQuote, void> {
  for (let round = 1; round <= MOST_ROUNDS && !signal.aborted; round++) {
    const asked = await openRound(deps, { customerId, fields });
    let outstanding = asked.providers.length;
    for await (const answer of asTheyCome(deps, asked)) {
      outstanding -= 1;
      yield { round, outstanding, ...(await outcomeOf(deps, { customerId, asked, answer })) };
      if (signal.aborted) return;
    }
    await rest(deps.quoteLifetimeSeconds * 1000 * (1 - RENEWED_WITH_LEFT), signal);
  }
}

type Round = Omit<AskedRequest, 'answers'>;

async function openRound(deps: QuoteDeps, customerRequest: CustomerRequest): Promise<Round> {
  const resolved = await resolveRequest(deps, customerRequest);
  const [market, deadline] = await Promise.all([
    readMarket(deps, resolved.request),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  return { ...resolved, market, deadline };
}

/** Asking never throws and takes at most the budget, so every promise of the round settles. */
async function* asTheyCome(deps: QuoteDeps, { providers, request }: Round): AsyncGenerator<ProviderAnswer> {
  const waiting = new Map(providers.map((provider) => [provider.id, deps.askProvider(provider, request)] as const));
  while (waiting.size > 0) {
    const answer = await Promise.race(waiting.values());
    waiting.delete(answer.provider);
    yield answer;
  }
}

interface Said {
  readonly customerId: CustomerId;
  readonly asked: Round;
  readonly answer: ProviderAnswer;
}

async function outcomeOf(deps: SwapQuotesDeps, { customerId, asked, answer }: Said): Promise<ProviderQuoteOutcome> {
  const { provider } = answer;
  if (answer.outcome !== 'quote') return { provider, quote: undefined, reason: reasonOf(asked, answer) };
  const swap = pricedSwap({ ...asked, answers: [] }, answer.quote);
  const view = quoteView(swap);
  await saveQuotes(deps.database, [{ customerId, swap, view }]);
  return { provider, quote: view, reason: undefined };
}

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
