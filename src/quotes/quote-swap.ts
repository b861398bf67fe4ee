import { uuidV7 } from '../persistence/uuid-v7';
import type { ProviderResult } from '../venues/request-provider-quote';
import { chooseOffer } from './choose-offer';
import type { QuoteClock } from './quote-deadline';
import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import { type MarketData, type MarketDataDeps, readMarketData } from './market-data';
import { nativeFeeInTokenOut, withBoundedNativeFee } from './native-fee';
import { type ImpactBoundDeps, withBoundedImpacts } from './price-impact-bound';
import {
  type CustomerRequest,
  type ResolveDeps,
  type ResolvedRequest,
  resolveRequest,
} from './request/resolve-request';
import type { SwapIntent } from './request/swap-intent';

export interface QuoteDeps extends ResolveDeps, MarketDataDeps, ImpactBoundDeps {
  readonly quoteDeadline: QuoteClock;
  readonly quoteLifetimeSeconds: number;
  /** Called with the offer that won. */
  readonly onBestOffer?: ((request: QuoteRequest, offer: ProviderQuote) => void) | undefined;
}

/** A provider's quote for a request, with the data for display. Not stored yet. */
export interface PricedSwap {
  readonly quoteId: string;
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly market: MarketData;
  readonly deadline: Date;
}

/** A resolved request and the result of each provider. */
export interface QuotedRequest extends ResolvedRequest {
  readonly results: readonly ProviderResult[];
  readonly market: MarketData;
  readonly deadline: Date;
}

/**
 * Returns the best offer for a request.
 *
 * @throws what `resolveRequest` and `chooseOffer` throw.
 */
export async function quoteSwap(deps: QuoteDeps, customerRequest: CustomerRequest): Promise<PricedSwap> {
  const quoted = await requestAllQuotes(deps, customerRequest);
  const { fiat } = quoted.request;
  const criteria = { ...quoted.intent, ramp: fiat?.ramp, rampName: fiat?.name };
  const nativeFeeOf = (offer: ProviderQuote): bigint => nativeFeeInTokenOut(offer, quoted) ?? 0n;
  const results = await withBoundedImpacts(deps, quoted);
  const best = chooseOffer(criteria, results, nativeFeeOf);
  deps.onBestOffer?.(quoted.request, best);
  return pricedSwap(quoted, best);
}

/** Requests quotes from all eligible providers in parallel, at most for the budget. Bounds their native fees. */
export async function requestAllQuotes(deps: QuoteDeps, customerRequest: CustomerRequest): Promise<QuotedRequest> {
  const resolved = await resolveRequest(deps, customerRequest);
  const { request, providers } = resolved;
  const [results, market, deadline] = await Promise.all([
    Promise.all(providers.map((provider) => deps.requestProviderQuote(provider, request))),
    readMarketData(deps, request),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  const bounded = results.map((result) => withBoundedNativeFee(result, { request, market }));
  return { ...resolved, results: bounded, market, deadline };
}

export const pricedSwap = (
  { intent, request, market, deadline }: Omit<QuotedRequest, 'results' | 'providers'>,
  offer: ProviderQuote,
): PricedSwap => ({
  quoteId: uuidV7(),
  intent,
  request,
  offer,
  market,
  deadline,
});
