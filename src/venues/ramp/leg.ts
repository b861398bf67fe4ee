import type { ChainTable } from '../../chains/chain-table';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { PartsPerMillion } from '../../money/slippage';
import type { AskProvider } from '../ask-provider';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../quote-provider';
import { parseProviderQuote, providerQuoteJson } from '../provider-quote-json';
import type { Anchor } from './anchors';

export interface LegDeps {
  /** Those who may carry the part of a route between a wallet and an anchor: calls that our own code builds. */
  readonly venues: readonly QuoteProvider[];
  readonly askProvider: AskProvider;
}

/** A swap or transfer between a wallet and an anchor of a ramp. */
export type LegRequest = Omit<QuoteRequest, 'fiat'>;

/** Half of the slippage is for the swap, half for what the ramp takes and for its rate. */
const halfOf = (slippage: PartsPerMillion): PartsPerMillion =>
  (slippage > 1n ? slippage / 2n : slippage) as PartsPerMillion;

/** From the token that is sold to an anchor. */
export const legToAnchor = (request: QuoteRequest, { chain, token }: Anchor): LegRequest => {
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

/** From what the ramp pays out to the token that is bought. */
export const legFromAnchor = (request: QuoteRequest, { chain, token }: Anchor, amount: BaseUnits): LegRequest => {
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

/** The best offer for a leg; `undefined` when there is none, or nobody serves it. @throws the failure of a venue when all of them fail */
export async function bestLeg(
  { venues, askProvider }: LegDeps,
  request: LegRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const serving = venues.filter(({ capabilities }) => capabilities.supports(request));
  const answers = await Promise.all(serving.map((venue) => askProvider(venue, request, signal)));
  const offers = answers.flatMap((answer) => (answer.outcome === 'quote' ? [answer.quote] : []));
  const failed = answers.find((answer) => answer.outcome === 'failed');
  if (offers.length === 0 && failed !== undefined) throw legFailure(failed.error);
  return mostOut(offers);
}

/** The offer by which most comes out; `undefined` when there is none. */
export const mostOut = (offers: readonly ProviderQuote[]): ProviderQuote | undefined =>
  offers.reduce<ProviderQuote | undefined>(
    (best, offer) => (best === undefined || offer.expectedAmountOut > best.expectedAmountOut ? offer : best),
    undefined,
  );

/** Bounds of a leg are told in tokens that the caller did not name. */
const legFailure = (cause: ServiceError): ServiceError =>
  serviceError('QUOTE_GENERATION_FAILED', { reason: cause.message }, { cause });

const planSchema = z.object({
  chainId: z.number(),
  token: z.string(),
  amount: z.string().regex(/^[0-9]{1,78}$/),
  leg: z.unknown(),
});

/** What carries a route through an anchor, as it is kept with the quote. */
export interface ComposedPlan {
  readonly anchor: Anchor;
  /** Of the anchor, as it was expected between the two parts. */
  readonly amount: BaseUnits;
  readonly leg: ProviderQuote;
}

export const planJson = ({ anchor, amount, leg }: ComposedPlan): object => ({
  chainId: anchor.chain.chainId,
  token: anchor.token.address,
  amount: amount.toString(),
  leg: providerQuoteJson(leg),
});

/** @throws QUOTE_EXPIRED when the deployment does not list the anchor any more */
export function parsePlan(json: unknown, chains: ChainTable): ComposedPlan {
  const { chainId, token: address, amount, leg } = planSchema.parse(json);
  const chain = chains.get(chainId);
  const listed = chain.tokens.find((token) => token.address === address);
  if (listed === undefined) throw serviceError('QUOTE_EXPIRED');
  return {
    anchor: { chain, token: { logoURI: undefined, ...listed, chainId } },
    amount: toBaseUnits(BigInt(amount)),
    leg: parseProviderQuote(leg),
  };
}
