import type { Logger } from 'pino';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';
import { subtractShare, addShare } from '../money/slippage';
import type { FiatTerms } from '../ramps/fiat-terms';
import { brCodeAmount } from './ramp/fiat-amount';
import { AbandonedError, createProviderGuards, type ProviderGuards } from './provider-guards';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from './quote-provider';
import { anySignal } from '../async/any-signal';
import { rejectOnAbort } from '../async/race-abort';
import { createSingleFlight } from '../async/single-flight';

/** The result of requesting a quote from one provider. Requesting never throws. */
export type ProviderResult =
  | { readonly provider: string; readonly outcome: 'quote'; readonly quote: ProviderQuote }
  | { readonly provider: string; readonly outcome: 'noRoute' }
  | { readonly provider: string; readonly outcome: 'failed'; readonly error: ServiceError };

/**
 * Requests a quote from one provider within the budget. Identical requests in flight share one result.
 * A caller that aborts its signal leaves; the request is cancelled once no caller waits for it.
 */
export type RequestProviderQuote = (
  provider: QuoteProvider,
  request: QuoteRequest,
  signal?: AbortSignal,
) => Promise<ProviderResult>;

export interface QuoteRequesterDeps {
  /** Maximum time for one provider, in milliseconds, including the wait in its queue. */
  readonly budgetMs: number;
  /** Shared by all callers of the same providers in this process. */
  readonly guards?: ProviderGuards;
  readonly log: Pick<Logger, 'warn'>;
  /** Called with each result and how long it took, in seconds; not for requests that all callers have left. */
  readonly onResult?: ((request: QuoteRequest, result: ProviderResult, seconds: number) => void) | undefined;
}

export function createQuoteRequester(deps: QuoteRequesterDeps): RequestProviderQuote {
  const requests = createSingleFlight<ProviderResult>(() => new AbandonedError());
  const guarded = { guards: createProviderGuards(), ...deps };
  return async (provider, request, signal) => {
    const run = async (abandoned: AbortSignal): Promise<ProviderResult> => {
      const startedAt = performance.now();
      const result = await requestQuote(guarded, { provider, request, abandoned });
      if (!abandoned.aborted) deps.onResult?.(request, result, (performance.now() - startedAt) / 1000);
      return result;
    };
    try {
      return await requests.join(`${provider.id} ${requestKey(request)}`, run, signal);
    } catch (cause) {
      // `requestQuote` never throws: the caller has left.
      return { provider: provider.id, outcome: 'failed', error: unavailable(provider.id, 'it was abandoned', cause) };
    }
  };
}

/** Everything that a quote depends on: requests with the same key may share one result. */
const requestKey = ({ origin, destination, tokenIn, tokenOut, ...rest }: QuoteRequest): string =>
  JSON.stringify([
    ...[origin.chainId, destination.chainId, tokenIn.address, tokenOut.address, rest.side],
    ...[rest.amount.toString(), rest.slippage.toString()],
    ...[rest.originAddress ?? null, rest.destinationAddress ?? null, rest.refundAddress ?? null],
    ...[rest.transferSpeed ?? null, rest.fiat === undefined ? null : termsOf(rest.fiat)],
  ]);

const termsOf = ({ name, rail, thirdParty, account, payout }: FiatTerms): readonly unknown[] => [
  ...[name, rail, thirdParty, account?.accountId ?? null, brCodeAmount({ payout })?.toString() ?? null],
];

type GuardedDeps = QuoteRequesterDeps & Required<Pick<QuoteRequesterDeps, 'guards'>>;

interface PendingRequest {
  readonly provider: QuoteProvider;
  readonly request: QuoteRequest;
  /** Aborts when no caller waits any more. */
  readonly abandoned: AbortSignal;
}

async function requestQuote(deps: GuardedDeps, pending: PendingRequest): Promise<ProviderResult> {
  const { provider, request, abandoned } = pending;
  const { id } = provider;
  // A ramp is reported under the name in the request.
  const name = request.fiat?.name ?? id;
  const signal = anySignal(abandoned, AbortSignal.timeout(deps.budgetMs));
  try {
    // A provider that ignores its signal must not keep the others waiting.
    const call = () => rejectOnAbort(provider.quote(request, signal), signal);
    // The budget includes the wait in the provider's queue; at least half of it remains for the provider.
    const options = { signal, name, maxQueueMs: deps.budgetMs / 2, ...chainsOf(request) };
    const quote = await rejectOnAbort(deps.guards.run(id, call, options), signal);
    if (quote === undefined) return { provider: id, outcome: 'noRoute' };
    const flaw = findFlaw(request, quote);
    if (flaw === undefined) return { provider: id, outcome: 'quote', quote };
    deps.log.warn({ provider: id, flaw }, 'a provider returned an inconsistent quote');
    return { provider: id, outcome: 'failed', error: unavailable(name, 'its quote is inconsistent') };
  } catch (cause) {
    if (isServiceError(cause)) return { provider: id, outcome: 'failed', error: cause };
    if (signal.aborted)
      return { provider: id, outcome: 'failed', error: unavailable(name, 'it did not respond in time') };
    deps.log.warn({ provider: id, err: cause }, 'a provider threw an unexpected error');
    return { provider: id, outcome: 'failed', error: unavailable(name, 'it failed', cause) };
  }
}

/** A ramp is one service for all chains: its quotes share one breaker with its Pix key lookups. */
function chainsOf({ origin, destination, fiat }: QuoteRequest): { readonly chains?: string } {
  if (fiat !== undefined) return {};
  const isOneChain = origin.chainId === destination.chainId;
  return { chains: isOneChain ? String(origin.chainId) : `${String(origin.chainId)}>${String(destination.chainId)}` };
}

const unavailable = (provider: string, reason: string, cause?: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });

/** The first inconsistency of a quote: it must be for the requested amount and within the slippage on the other side. */
function findFlaw(request: QuoteRequest, offer: ProviderQuote): string | undefined {
  const { amountIn, maxAmountIn, expectedAmountOut, minAmountOut } = offer;
  if (expectedAmountOut <= 0n || amountIn <= 0n) return 'an amount is not positive';
  if (minAmountOut > expectedAmountOut || amountIn > maxAmountIn) return 'a limit is better than the expected amount';
  if (!Number.isFinite(offer.priceImpactBps ?? 0)) return 'the price impact is not a number';
  return request.side === 'in' ? exactInFlaw(request, offer) : exactOutFlaw(request, offer);
}

function exactInFlaw({ amount, slippage, fiat }: QuoteRequest, offer: ProviderQuote): string | undefined {
  // A BR Code with a fixed amount may need less than the requested amount, never more.
  const isCharge = brCodeAmount(fiat) !== undefined && offer.maxAmountIn <= amount;
  const isExact = offer.amountIn === amount && offer.maxAmountIn === amount;
  if (!isExact && !isCharge) return 'the input amount differs from the requested amount';
  const isLoose = offer.minAmountOut < subtractShare(offer.expectedAmountOut, slippage);
  return isLoose ? 'the minimum is below the slippage' : undefined;
}

function exactOutFlaw({ amount, slippage }: QuoteRequest, offer: ProviderQuote): string | undefined {
  if (offer.minAmountOut !== amount) return 'the output amount differs from the requested amount';
  return offer.maxAmountIn > addShare(offer.amountIn, slippage) ? 'the maximum is above the slippage' : undefined;
}
