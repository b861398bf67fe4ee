import type { Logger } from 'pino';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { lessShare, plusShare } from '../money/slippage';
import { createProviderGuards, type ProviderGuards } from './provider-guards';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from './quote-provider';

/** What became of asking one provider. Asking never throws. */
export type ProviderAnswer =
  | { readonly provider: string; readonly outcome: 'quote'; readonly quote: ProviderQuote }
  | { readonly provider: string; readonly outcome: 'noRoute' }
  | { readonly provider: string; readonly outcome: 'failed'; readonly error: ServiceError };

/** Asks one provider, at most as long as the budget lasts. Identical questions of the same moment share one answer. */
export type AskProvider = (provider: QuoteProvider, request: QuoteRequest) => Promise<ProviderAnswer>;

export interface AskDeps {
  /** Longest time that a provider may take, in milliseconds. */
  readonly budgetMs: number;
  /** Shared by everybody who asks the same providers in this process. */
  readonly guards?: ProviderGuards;
  readonly log: Pick<Logger, 'warn'>;
}

export function createProviderAsker(deps: AskDeps): AskProvider {
  const running = new Map<string, Promise<ProviderAnswer>>();
  const guarded = { guards: createProviderGuards(), ...deps };
  return (provider, request) => {
    const question = `${provider.id} ${questionOf(request)}`;
    const asked = running.get(question);
    if (asked !== undefined) return asked;
    const answer = ask(guarded, provider, request).finally(() => running.delete(question));
    running.set(question, answer);
    return answer;
  };
}

/** Everything that an answer depends on: requests with the same text may share one. */
const questionOf = ({ origin, destination, tokenIn, tokenOut, ...rest }: QuoteRequest): string =>
  JSON.stringify([
    ...[origin.chainId, destination.chainId, tokenIn.address, tokenOut.address, rest.side],
    ...[rest.amount.toString(), rest.slippage.toString()],
    ...[rest.originAddress ?? null, rest.destinationAddress ?? null, rest.refundAddress ?? null],
    rest.transferSpeed ?? null,
  ]);

async function ask(deps: Required<AskDeps>, provider: QuoteProvider, request: QuoteRequest): Promise<ProviderAnswer> {
  const { id } = provider;
  const signal = AbortSignal.timeout(deps.budgetMs);
  try {
    const quote = await deps.guards.run(id, () => Promise.race([provider.quote(request, signal), abortOf(signal)]));
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

function exactInFlaw({ amount, slippage }: QuoteRequest, offer: ProviderQuote): string | undefined {
  if (offer.amountIn !== amount || offer.maxAmountIn !== amount) return 'the amount in is not the one asked for';
  const isLoose = offer.minAmountOut < lessShare(offer.expectedAmountOut, slippage);
  return isLoose ? 'the minimum is below the slippage' : undefined;
}

function exactOutFlaw({ amount, slippage }: QuoteRequest, offer: ProviderQuote): string | undefined {
  if (offer.minAmountOut !== amount) return 'the amount out is not the one asked for';
  return offer.maxAmountIn > plusShare(offer.amountIn, slippage) ? 'the maximum is above the slippage' : undefined;
}
