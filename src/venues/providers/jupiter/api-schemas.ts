import { z } from 'zod';
import { baseUnitsSchema } from '../../../money/base-units';
import { basisPointsSchema } from '../../../money/basis-points';

/** @see https://dev.jup.ag/docs/swap */
const instruction = z.object({
  programId: z.string(),
  accounts: z.array(z.object({ pubkey: z.string(), isSigner: z.boolean(), isWritable: z.boolean() })).max(256),
  data: z.base64(),
});
export type WireInstruction = z.infer<typeof instruction>;

/** One pool of the route; `percent` (version 1) or `bps` (version 2) is its share of the trade. */
const routeStep = z.object({
  swapInfo: z.object({
    ammKey: z.string(),
    label: z.string().default('pool'),
    inputMint: z.string(),
    outputMint: z.string(),
  }),
  percent: z.number().optional(),
  bps: z.number().optional(),
});

const price = z.object({
  inAmount: baseUnitsSchema,
  outAmount: baseUnitsSchema,
  otherAmountThreshold: baseUnitsSchema,
  /** A fraction of 1, whatever its name; parsed to basis points. */
  priceImpactPct: basisPointsSchema,
  routePlan: z.array(routeStep).min(1),
});
export type JupiterPrice = z.infer<typeof price>;

/** Response of `GET /swap/v2/build`. Its compute budget contains only a price: the service sets the limit. */
export const buildResponse = price.extend({
  setupInstructions: z.array(instruction).default([]),
  swapInstruction: instruction,
  cleanupInstruction: instruction.nullish(),
  otherInstructions: z.array(instruction).default([]),
  tipInstruction: instruction.nullish(),
  addressesByLookupTableAddress: z.record(z.string(), z.array(z.string())).nullish(),
});

/** Response of the deprecated `GET /swap/v1/quote`; it is sent back whole to `POST /swap/v1/swap-instructions`. */
export const quoteResponseSchema = price;

/**
 * Response of the deprecated `POST /swap/v1/swap-instructions`. It lists addresses of lookup tables without contents.
 */
export const instructionsResponse = z.object({
  setupInstructions: z.array(instruction).default([]),
  swapInstruction: instruction,
  cleanupInstruction: instruction.nullish(),
  otherInstructions: z.array(instruction).default([]),
  addressLookupTableAddresses: z.array(z.string()).default([]),
});

/** Error response; version 2 sets `code`, version 1 `errorCode`. */
export const jupiterErrorResponse = z.object({ code: z.string().optional(), errorCode: z.string().optional() });
