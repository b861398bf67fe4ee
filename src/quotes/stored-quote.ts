import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import { amountField, integerField, optionalField } from '../persistence/json-fields';
import type { PartsPerMillion } from '../money/slippage';
import { RAMP_IDS } from '../ramps/ramp-provider';
import { type QuoteRequest, TRANSFER_SPEEDS } from '../venues/quote-provider';
import type { PricedSwap } from './quote-swap';

const token = z.object({
  chainId: z.number(),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.number(),
  logoURI: optionalField(z.string()),
});

const transferSpeed = optionalField(z.enum(TRANSFER_SPEEDS));

/** The priced request as it is stored, in JSON. */
const requestSchema = z.object({
  chainIdIn: z.number(),
  chainIdOut: z.number(),
  tokenIn: token,
  tokenOut: token,
  side: z.enum(['in', 'out']),
  amount: amountField,
  slippage: integerField.transform((share) => share as PartsPerMillion),
  originAddress: optionalField(z.string()),
  destinationAddress: optionalField(z.string()),
  refundAddress: optionalField(z.string()),
  transferSpeed,
  thirdParty: z.boolean(),
  feeSponsorship: z.boolean().default(false),
  /** Without the account, which is looked up again, and the payout details, which are stored encrypted. */
  fiat: optionalField(z.object({ ramp: z.enum(RAMP_IDS), name: z.string(), rail: z.enum(['PIX', 'ACH', 'WIRE']) })),
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

/** A stored request and its execution options. */
export interface StoredRequest {
  readonly request: QuoteRequest;
  readonly thirdParty: boolean;
  readonly feeSponsorship: boolean;
}

/** Restores the priced request with the chains of the current configuration. */
export function parseStoredRequest(json: unknown, chains: ChainTable): StoredRequest {
  const { chainIdIn, chainIdOut, thirdParty, feeSponsorship, fiat: known, ...rest } = requestSchema.parse(json);
  const [origin, destination] = [chains.get(chainIdIn), chains.get(chainIdOut)];
  const fiat = known && { ...known, thirdParty, account: undefined, payout: undefined };
  return { request: { origin, destination, ...rest, fiat }, thirdParty, feeSponsorship };
}
