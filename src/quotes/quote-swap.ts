import { uuidV7 } from '../persistence/uuid-v7';
import type { AskProvider, ProviderAnswer } from '../venues/ask-provider';
import { chooseOffer } from './choose-offer';
import type { QuoteClock } from './quote-deadline';
import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import { type Market, type MarketDeps, readMarket } from './read-market';
import {
  type CustomerRequest,
  type ResolveDeps,
  type ResolvedRequest,
  resolveRequest,
} from './request/resolve-request';
import type { SwapIntent } from './request/swap-intent';

export interface QuoteDeps extends ResolveDeps, MarketDeps {
  readonly askProvider: AskProvider;
  readonly quoteDeadline: QuoteClock;
  readonly quoteLifetimeSeconds: number;
}

/** An offer for a request, with everything that is shown of it. Not stored yet. */
export interface PricedSwap {
  readonly quoteId: string;
  readonly intent: SwapIntent;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly market: Market;
  readonly deadline: Date;
}

/** What was asked and what everybody answered. */
export interface AskedRequest extends ResolvedRequest {
  readonly answers: readonly ProviderAnswer[];
  readonly market: Market;
  readonly deadline: Date;
}

/**
 * The best offer for a request.
 *
 * @throws what `resolveRequest` and `chooseOffer` throw.
 */
export async function quoteSwap(deps: QuoteDeps, customerRequest: CustomerRequest): Promise<PricedSwap> {
  const asked = await askEverybody(deps, customerRequest);
  return pricedSwap(asked, chooseOffer({ ...asked.intent, ramp: asked.request.fiat?.ramp }, asked.answers));
}

/** Asks all providers of a route at once; takes as long as the slowest, at most the budget. */
export async function askEverybody(deps: QuoteDeps, customerRequest: CustomerRequest): Promise<AskedRequest> {
  const resolved = await resolveRequest(deps, customerRequest);
  const { request, providers } = resolved;
  const [answers, market, deadline] = await Promise.all([
    Promise.all(providers.map((provider) => deps.askProvider(provider, request))),
    readMarket(deps, request),
    deps.quoteDeadline(deps.quoteLifetimeSeconds),
  ]);
  return { ...resolved, answers, market, deadline };
}

export const pricedSwap = (
  { intent, request, market, deadline }: Omit<AskedRequest, 'answers' | 'providers'>,
  offer: ProviderQuote,
): PricedSwap => ({
  quoteId: uuidV7(),
  intent,
  request,
  offer,
  market,
  deadline,
});
