import { z } from 'zod';
import { baseUnitsSchema } from '../../../money/base-units';

/** Response of `POST /quote/v2`. @see https://docs.relay.link/references/api/get-quote-v2 */
export const relayQuoteResponse = z.object({
  steps: z.array(z.object({ requestId: z.string().optional(), depositAddress: z.string().optional() })).default([]),
  fees: z
    .object({
      relayer: z.object({ amount: baseUnitsSchema, currency: z.object({ symbol: z.string() }) }).optional(),
    })
    .default({}),
  details: z.object({
    currencyIn: z.object({ amount: baseUnitsSchema }),
    currencyOut: z.object({ amount: baseUnitsSchema, minimumAmount: baseUnitsSchema }),
    timeEstimate: z.number().nonnegative().default(600),
  }),
});
export type RelayQuote = z.infer<typeof relayQuoteResponse>;

/** Response of `GET /intents/status/v3`. */
export const relayStatusResponse = z.object({
  status: z.enum(['waiting', 'depositing', 'pending', 'submitted', 'success', 'delayed', 'refund', 'failure']),
  inTxHashes: z.array(z.string()).default([]),
  /** Transactions of the payout, or of the refund. */
  txHashes: z.array(z.string()).default([]),
});

/** Error response. */
export const relayErrorResponse = z.object({ errorCode: z.string().optional(), message: z.string().optional() });
