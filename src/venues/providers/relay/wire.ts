import { z } from 'zod';

const digits = z
  .string()
  .regex(/^[0-9]{1,40}$/, 'must be an amount')
  .transform(BigInt);

/** Answer of `POST /quote/v2`. @see https://docs.relay.link/references/api/get-quote-v2 */
export const quoteAnswer = z.object({
  steps: z.array(z.object({ requestId: z.string().optional(), depositAddress: z.string().optional() })).default([]),
  fees: z
    .object({
      relayer: z.object({ amount: digits, currency: z.object({ symbol: z.string() }) }).optional(),
    })
    .default({}),
  details: z.object({
    currencyIn: z.object({ amount: digits }),
    currencyOut: z.object({ amount: digits, minimumAmount: digits }),
    timeEstimate: z.number().nonnegative().default(600),
    totalImpact: z.object({ percent: z.coerce.number() }).optional(),
  }),
});
export type QuoteAnswer = z.infer<typeof quoteAnswer>;

/** Answer of `GET /intents/status/v3`. */
export const statusAnswer = z.object({
  status: z.enum(['waiting', 'depositing', 'pending', 'submitted', 'success', 'delayed', 'refund', 'failure']),
  inTxHashes: z.array(z.string()).default([]),
  /** Of the payout; of the refund when that is what came. */
  txHashes: z.array(z.string()).default([]),
});

/** What a refusal says. */
export const refusal = z.object({ errorCode: z.string().optional(), message: z.string().optional() });
