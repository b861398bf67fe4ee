import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import { toBaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
import { RAMP_IDS } from '../ramps/ramp-provider';
import type { ProviderQuote, QuoteRequest } from './quote-provider';
import type { PricedSwap } from './quote-swap';
import { TRANSFER_SPEEDS } from './swap-intent';

const digits = z.string().regex(/^[0-9]{1,78}$/);
const integer = digits.transform((text) => BigInt(text));
const amount = integer.transform(toBaseUnits);
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value as z.output<Schema> | undefined);
const token = z.object({
  chainId: z.number(),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.number(),
  logoURI: optional(z.string()),
});

const transferSpeed = optional(z.enum(TRANSFER_SPEEDS));

/** The request that was priced, in JSON. */
const requestSchema = z.object({
  chainIdIn: z.number(),
  chainIdOut: z.number(),
  tokenIn: token,
  tokenOut: token,
  side: z.enum(['in', 'out']),
  amount,
  slippage: integer.transform((share) => share as PartsPerMillion),
  originAddress: optional(z.string()),
  destinationAddress: optional(z.string()),
  refundAddress: optional(z.string()),
  transferSpeed,
  thirdParty: z.boolean(),
  feeSponsorship: z.boolean().default(false),
  /** Without the account, which is looked up again, and without the payout, which is stored encrypted. */
  fiat: optional(z.object({ ramp: z.enum(RAMP_IDS), name: z.string(), rail: z.enum(['PIX', 'ACH', 'WIRE']) })),
});

const fee = z.object({
  kind: optional(z.literal('paymentRail')),
  label: z.string(),
  asset: z.enum(['tokenIn', 'tokenOut']),
  amount,
});

/** What the provider offered, in JSON. */
const offerSchema = z.object({
  provider: z.string(),
  amountIn: amount,
  maxAmountIn: amount,
  expectedAmountOut: amount,
  minAmountOut: amount,
  route: z.array(
    z.object({
      protocol: z.string(),
      chainId: z.number(),
      tokenIn: z.string(),
      tokenOut: z.string(),
      shareBps: z.number(),
      pool: z.string(),
    }),
  ),
  priceImpactBps: z.number(),
  gasLimit: integer,
  estimatedDurationSeconds: z.number(),
  execution: z.unknown(),
  fees: optional(z.array(fee)),
  nativeFee: optional(integer),
  transferSpeed,
});

export const requestJson = ({ intent, request }: PricedSwap): z.input<typeof requestSchema> => ({
  chainIdIn: request.origin.chainId,
  chainIdOut: request.destination.chainId,
  tokenIn: request.tokenIn,
  tokenOut: request.tokenOut,
  side: request.side,
  amount: request.amount.toString(),
  slippage: request.slippage.toString(),
  originAddress: request.originAddress,
  destinationAddress: request.destinationAddress,
  refundAddress: request.refundAddress,
  transferSpeed: request.transferSpeed,
  thirdParty: intent.thirdParty,
  feeSponsorship: intent.feeSponsorship,
  fiat: request.fiat && { ramp: request.fiat.ramp, name: request.fiat.name, rail: request.fiat.rail },
});

export const offerJson = (offer: ProviderQuote): z.input<typeof offerSchema> => ({
  provider: offer.provider,
  amountIn: offer.amountIn.toString(),
  maxAmountIn: offer.maxAmountIn.toString(),
  expectedAmountOut: offer.expectedAmountOut.toString(),
  minAmountOut: offer.minAmountOut.toString(),
  route: [...offer.route],
  priceImpactBps: offer.priceImpactBps,
  gasLimit: offer.gasLimit.toString(),
  estimatedDurationSeconds: offer.estimatedDurationSeconds,
  execution: offer.execution,
  fees: offer.fees?.map((fee) => ({ ...fee, amount: fee.amount.toString() })),
  nativeFee: offer.nativeFee?.toString(),
  transferSpeed: offer.transferSpeed,
});

/** A request as it was stored, and what was asked for beside the price. */
export interface StoredRequest {
  readonly request: QuoteRequest;
  readonly thirdParty: boolean;
  readonly feeSponsorship: boolean;
}

/** The request as it was when it was priced, with the chains of today's table. */
export function parseStoredRequest(json: unknown, chains: ChainTable): StoredRequest {
  const { chainIdIn, chainIdOut, thirdParty, feeSponsorship, fiat: known, ...rest } = requestSchema.parse(json);
  const [origin, destination] = [chains.get(chainIdIn), chains.get(chainIdOut)];
  const fiat = known && { ...known, thirdParty, account: undefined, payout: undefined };
  return { request: { origin, destination, ...rest, fiat }, thirdParty, feeSponsorship };
}

export const parseStoredOffer = (json: unknown): ProviderQuote => offerSchema.parse(json);
