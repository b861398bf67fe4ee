import type { ChainTable } from '../../chains/chain-table';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { type BaseUnits } from '../../money/base-units';
import type { PartsPerMillion } from '../../money/slippage';
import type { RequestProviderQuote } from '../request-provider-quote';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../quote-provider';
import { parseProviderQuote, providerQuoteJson } from '../provider-quote-json';
import type { RampProvider } from '../../ramps/ramp-provider';
import type { TicketStore } from '../../ramps/ticket-store';
import type { Rpc } from '../../rpc/rpc';
import type { ServiceWallet } from '../../rpc/service-wallet';
import type { RampToken } from './ramp-tokens';
import { amountField } from '../../persistence/json-fields';

export interface SwapLegDeps {
  /** Venues for the leg between a wallet and a ramp token, whose calls the service builds. */
  readonly venues: readonly QuoteProvider[];
  readonly requestProviderQuote: RequestProviderQuote;
}

/** Dependencies of routes that combine a ramp with a swap or bridge transfer. */
export interface RampSwapDeps extends SwapLegDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
  readonly chains: ChainTable;
  readonly rpc: Rpc;
  /** Swaps settlements of a ramp; without it only off-ramps are combined with swaps. */
  readonly serviceWallet: ServiceWallet | undefined;
  /** Time to wait for the quoted price before the customer receives the ramp token; ten minutes when absent. */
  readonly swapTimeoutMs?: number | undefined;
}

/** A swap or bridge transfer between a wallet and a ramp token. */
export type RampSwapRequest = Omit<QuoteRequest, 'fiat'>;

/** Half of the slippage is for the swap, half for the rate of the ramp. */
const halfOf = (slippage: PartsPerMillion): PartsPerMillion =>
  (slippage > 1n ? slippage / 2n : slippage) as PartsPerMillion;

/** The leg from the sold token to the ramp token. */
export const legToRamp = (request: QuoteRequest, { chain, token }: RampToken): RampSwapRequest => {
  const { origin, tokenIn, amount, slippage, originAddress, refundAddress, transferSpeed } = request;
  return {
    origin,
    destination: chain,
    tokenIn,
    tokenOut: token,
    side: 'in',
    amount,
    slippage: halfOf(slippage),
    originAddress,
    destinationAddress: undefined,
    refundAddress,
    transferSpeed,
  };
};

/** The leg from the ramp token to the bought token. */
export const legFromRamp = (request: QuoteRequest, { chain, token }: RampToken, amount: BaseUnits): RampSwapRequest => {
  const { destination, tokenOut, slippage, destinationAddress, transferSpeed } = request;
  return {
    origin: chain,
    destination,
    tokenIn: token,
    tokenOut,
    side: 'in',
    amount,
    slippage: halfOf(slippage),
    originAddress: undefined,
    destinationAddress,
    transferSpeed,
  };
};

/**
 * The best offer for a leg; `undefined` when no venue has a route.
 *
 * @throws the failure of a venue when every venue fails
 */
export async function quoteBestLeg(
  { venues, requestProviderQuote }: SwapLegDeps,
  request: RampSwapRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const serving = venues.filter(({ capabilities }) => capabilities.supports(request));
  const results = await Promise.all(serving.map((venue) => requestProviderQuote(venue, request, signal)));
  const offers = results.flatMap((result) => (result.outcome === 'quote' ? [result.quote] : []));
  const failure = results.find((result) => result.outcome === 'failed');
  if (offers.length === 0 && failure !== undefined) throw legFailure(failure.error);
  return bestByAmountOut(offers);
}

/** The offer with the largest output; `undefined` when there is none. */
export const bestByAmountOut = (offers: readonly ProviderQuote[]): ProviderQuote | undefined =>
  offers.reduce<ProviderQuote | undefined>(
    (best, offer) => (best === undefined || offer.expectedAmountOut > best.expectedAmountOut ? offer : best),
    undefined,
  );

/** Bounds of a leg are in tokens that the caller did not specify. */
const legFailure = (cause: ServiceError): ServiceError =>
  serviceError('QUOTE_GENERATION_FAILED', { reason: cause.message }, { cause });

const planSchema = z.object({
  chainId: z.number(),
  token: z.string(),
  amount: amountField,
  leg: z.unknown(),
});

/** The plan of a combined route, stored with its quote. */
export interface RampSwapPlan {
  readonly rampToken: RampToken;
  /** Expected amount of the ramp token between the two parts. */
  readonly amount: BaseUnits;
  readonly leg: ProviderQuote;
}

export const planJson = ({ rampToken, amount, leg }: RampSwapPlan): object => ({
  chainId: rampToken.chain.chainId,
  token: rampToken.token.address,
  amount: amount.toString(),
  leg: providerQuoteJson(leg),
});

/** @throws QUOTE_EXPIRED when the ramp token is no longer listed */
export function parsePlan(json: unknown, chains: ChainTable): RampSwapPlan {
  const { chainId, token: address, amount, leg } = planSchema.parse(json);
  const chain = chains.get(chainId);
  const listed = chain.tokens.find((token) => token.address === address);
  if (listed === undefined) throw serviceError('QUOTE_EXPIRED');
  return {
    rampToken: { chain, token: { logoURI: undefined, ...listed, chainId } },
    amount,
    leg: parseProviderQuote(leg),
  };
}
