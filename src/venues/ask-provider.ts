import type { Logger } from 'pino';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { lessShare, plusShare } from '../money/slippage';
import type { FiatTerms } from '../ramps/fiat-terms';
import { chargeOf } from './ramp/charge';
import { AbandonedError, createProviderGuards, type ProviderGuards } from './provider-guards';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from './quote-provider';

/** What became of asking one provider. Asking never throws. */
export type ProviderAnswer =
  | { readonly provider: string; readonly outcome: 'quote'; readonly quote: ProviderQuote }
  | { readonly provider: string; readonly outcome: 'noRoute' }
  | { readonly provider: string; readonly outcome: 'failed'; readonly error: ServiceError };

/**
 * Asks one provider, at most as long as the budget lasts. Identical questions of the same moment share one answer.
 * Whoever gives a signal need not be answered any more once it aborts: the question is given up when nobody else waits.
 */
export type AskProvider = (
  provider: QuoteProvider,
  request: QuoteRequest,
  signal?: AbortSignal,
) => Promise<ProviderAnswer>;

export interface AskDeps {
  /** Longest time that a provider may take, in milliseconds, the wait for its turn included. */
  readonly budgetMs: number;
  /** Shared by everybody who asks the same providers in this process. */
  readonly guards?: ProviderGuards;
  readonly log: Pick<Logger, 'warn'>;
}

export function createProviderAsker(deps: AskDeps): AskProvider {
  const running = new Map<string, SharedQuestion>();
  const guarded = { guards: createProviderGuards(), ...deps };
  return (provider, request, signal) => {
    const text = `${provider.id} ${questionOf(request)}`;
    const known = running.get(text);
    if (known !== undefined) return join(known, signal);
    const controller = new AbortController();
    const forget = (): void => {
      if (running.get(text) === question) running.delete(text);
    };
    const answer = ask(guarded, { provider, request, controller }).finally(forget);
    const giveUp = (): void => {
      forget();
      controller.abort(new AbandonedError());
    };
    const question: SharedQuestion = { answer, giveUp, waiting: 0 };
    running.set(text, question);
    return join(question, signal);
  };
}

/** A question that is being asked. */
interface SharedQuestion {
  readonly answer: Promise<ProviderAnswer>;
  readonly giveUp: () => void;
  /** Callers who want the answer. */
  waiting: number;
}

function join(question: SharedQuestion, signal: AbortSignal | undefined): Promise<ProviderAnswer> {
  question.waiting += 1;
  if (signal === undefined) return question.answer;
  const leave = (): void => {
    question.waiting -= 1;
    if (question.waiting === 0) question.giveUp();
  };
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return question.answer.finally(() => signal.removeEventListener('abort', leave));
}

/** Everything that an answer depends on: requests with the same text may share one. */
const questionOf = ({ origin, destination, tokenIn, tokenOut, ...rest }: QuoteRequest): string =>
  JSON.stringify([
    ...[origin.chainId, destination.chainId, tokenIn.address, tokenOut.address, rest.side],
    ...[rest.amount.toString(), rest.slippage.toString()],
    ...[rest.originAddress ?? null, rest.destinationAddress ?? null, rest.refundAddress ?? null],
    ...[rest.transferSpeed ?? null, rest.fiat === undefined ? null : termsOf(rest.fiat)],
  ]);

const termsOf = ({ name, rail, thirdParty, account, payout }: FiatTerms): readonly unknown[] => [
  ...[name, rail, thirdParty, account?.accountId ?? null, chargeOf({ payout })?.toString() ?? null],
];

interface Asking {
  readonly provider: QuoteProvider;
  readonly request: QuoteRequest;
  /** Gives the question up. */
  readonly controller: AbortController;
}

async function ask(deps: Required<AskDeps>, asking: Asking): Promise<ProviderAnswer> {
  const { provider, request, controller } = asking;
  const { id } = provider;
  const { signal } = controller;
  const spent = (): void => controller.abort(new DOMException('The budget is spent', 'TimeoutError'));
  const timer = setTimeout(spent, deps.budgetMs).unref();
  const ended = abortOf(signal);
  try {
    const question = () => Promise.race([provider.quote(request, signal), ended]);
    // The budget holds in the queue of the provider as well, and half of it is left for the provider.
    const patience = { signal, longestWaitMs: deps.budgetMs / 2 };
    const quote = await Promise.race([deps.guards.run(id, question, patience), ended]);
    if (quote === undefined) return { provider: id, outcome: 'noRoute' };
    const flaw = flawOf(request, quote);
    if (flaw === undefined) return { provider: id, outcome: 'quote', quote };
    deps.log.warn({ provider: id, flaw }, 'a provider made an offer that does not add up');
    return { provider: id, outcome: 'failed', error: unavailable(id, 'its offer does not add up') };
  } catch (cause) {
    if (isServiceError(cause)) return { provider: id, outcome: 'failed', error: cause };
    if (signal.aborted) return { provider: id, outcome: 'failed', error: unavailable(id, 'it did not answer in time') };
    deps.log.warn({ provider: id, err: cause }, 'a provider failed in a way that it must not');
    return { provider: id, outcome: 'failed', error: unavailable(id, 'it failed', cause) };
  } finally {
    clearTimeout(timer);
  }
}

/** A provider that ignores its signal must not keep the others waiting. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

const unavailable = (provider: string, reason: string, cause?: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });

/** What is wrong with an offer: it must be for the amount asked for and keep the slippage on the other side. */
function flawOf(request: QuoteRequest, offer: ProviderQuote): string | undefined {
  const { amountIn, maxAmountIn, expectedAmountOut, minAmountOut } = offer;
  if (expectedAmountOut <= 0n || amountIn <= 0n) return 'an amount is not positive';
  if (minAmountOut > expectedAmountOut || amountIn > maxAmountIn) return 'a bound is better than the expectation';
  if (!Number.isFinite(offer.priceImpactBps)) return 'the price impact is not a number';
  return request.side === 'in' ? exactInFlaw(request, offer) : exactOutFlaw(request, offer);
}

function exactInFlaw({ amount, slippage, fiat }: QuoteRequest, offer: ProviderQuote): string | undefined {
  // A charge takes what it takes, of which the amount asked for is the most.
  const isCharge = chargeOf(fiat) !== undefined && offer.maxAmountIn <= amount;
  const isAsked = offer.amountIn === amount && offer.maxAmountIn === amount;
  if (!isAsked && !isCharge) return 'the amount in is not the one asked for';
  const isLoose = offer.minAmountOut < lessShare(offer.expectedAmountOut, slippage);
  return isLoose ? 'the minimum is below the slippage' : undefined;
}

function exactOutFlaw({ amount, slippage }: QuoteRequest, offer: ProviderQuote): string | undefined {
  if (offer.minAmountOut !== amount) return 'the amount out is not the one asked for';
  return offer.maxAmountIn > plusShare(offer.amountIn, slippage) ? 'the maximum is above the slippage' : undefined;
}
