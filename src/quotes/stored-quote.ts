import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import { toBaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
import type { ProviderQuote, QuoteRequest } from './quote-provider';
import type { PricedSwap } from './quote-swap';

const digits = z.string().regex(/^[0-9]{1,78}$/);
const integer = digits.transform((text) => BigInt(text));
const amount = integer.transform(toBaseUnits);
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value as z.output<Schema> | undefined);
const token = z.object({
  ...{ chainId: z.number(), address: z.string(), symbol: z.string(), name: z.string(), decimals: z.number() },
  logoURI: optional(z.string()),
});

/** The request that was priced, in JSON. */
const requestSchema = z.object({
  ...{ chainIdIn: z.number(), chainIdOut: z.number(), tokenIn: token, tokenOut: token },
  ...{ side: z.enum(['in', 'out']), amount, slippage: integer.transform((share) => share as PartsPerMillion) },
  ...{ originAddress: optional(z.string()), destinationAddress: optional(z.string()), thirdParty: z.boolean() },
});

/** What the provider offered, in JSON. */
const offerSchema = z.object({
  ...{ provider: z.string(), amountIn: amount, maxAmountIn: amount, expectedAmountOut: amount, minAmountOut: amount },
  route: z.array(
    z.object({
      ...{ protocol: z.string(), chainId: z.number(), tokenIn: z.string(), tokenOut: z.string() },
      ...{ shareBps: z.number(), pool: z.string() },
    }),
  ),
  ...{ priceImpactBps: z.number(), gasLimit: integer, estimatedDurationSeconds: z.number(), execution: z.unknown() },
});

export const requestJson = ({ intent, request }: PricedSwap): z.input<typeof requestSchema> => ({
  ...{ chainIdIn: request.origin.chainId, chainIdOut: request.destination.chainId },
  ...{ tokenIn: request.tokenIn, tokenOut: request.tokenOut, side: request.side },
  ...{ amount: request.amount.toString(), slippage: request.slippage.toString() },
  ...{ originAddress: request.originAddress, destinationAddress: request.destinationAddress },
  thirdParty: intent.thirdParty,
});

export const offerJson = (offer: ProviderQuote): z.input<typeof offerSchema> => ({
  ...{ provider: offer.provider, amountIn: offer.amountIn.toString(), maxAmountIn: offer.maxAmountIn.toString() },
  expectedAmountOut: offer.expectedAmountOut.toString(),
  minAmountOut: offer.minAmountOut.toString(),
  route: [...offer.route],
  ...{ priceImpactBps: offer.priceImpactBps, gasLimit: offer.gasLimit.toString() },
  ...{ estimatedDurationSeconds: offer.estimatedDurationSeconds, execution: offer.execution },
});

/** The request as it was when it was priced, with the chains of today's table. */
export function parseStoredRequest(json: unknown, chains: ChainTable): { request: QuoteRequest; thirdParty: boolean } {
  const { chainIdIn, chainIdOut, thirdParty, ...rest } = requestSchema.parse(json);
  return { request: { origin: chains.get(chainIdIn), destination: chains.get(chainIdOut), ...rest }, thirdParty };
}

export const parseStoredOffer = (json: unknown): ProviderQuote => offerSchema.parse(json);
