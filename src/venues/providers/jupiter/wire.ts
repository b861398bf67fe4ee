import { z } from 'zod';

const digits = z
  .string()
  .regex(/^[0-9]{1,20}$/, 'must be an amount')
  .transform(BigInt);

/** @see https://dev.jup.ag/docs/swap */
const instruction = z.object({
  programId: z.string(),
  accounts: z.array(z.object({ pubkey: z.string(), isSigner: z.boolean(), isWritable: z.boolean() })).max(256),
  data: z.base64(),
});
export type WireInstruction = z.infer<typeof instruction>;

/** One market on the way; `percent` of the first version and `bps` of the second say how much of the trade takes it. */
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
  inAmount: digits,
  outAmount: digits,
  otherAmountThreshold: digits,
  priceImpactPct: z.coerce.number(),
  routePlan: z.array(routeStep).min(1),
});
export type Price = z.infer<typeof price>;

/** Answer of `GET /swap/v2/build`. Its compute budget holds a price only: the limit is ours to set. */
export const buildAnswer = price.extend({
  setupInstructions: z.array(instruction).default([]),
  swapInstruction: instruction,
  cleanupInstruction: instruction.nullish(),
  otherInstructions: z.array(instruction).default([]),
  tipInstruction: instruction.nullish(),
  addressesByLookupTableAddress: z.record(z.string(), z.array(z.string())).nullish(),
});

/** Answer of the deprecated `GET /swap/v1/quote`; the whole of it goes back to `POST /swap/v1/swap-instructions`. */
export const quoteAnswer = price;

/** Answer of the deprecated `POST /swap/v1/swap-instructions`: it names its look-up tables, and not what they hold. */
export const instructionsAnswer = z.object({
  setupInstructions: z.array(instruction).default([]),
  swapInstruction: instruction,
  cleanupInstruction: instruction.nullish(),
  otherInstructions: z.array(instruction).default([]),
  addressLookupTableAddresses: z.array(z.string()).default([]),
});

/** What a refusal says; the second version puts the code into `code`, the first into `errorCode`. */
export const refusal = z.object({ code: z.string().optional(), errorCode: z.string().optional() });
