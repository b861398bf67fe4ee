import type { Hex } from 'viem';
import { z } from 'zod';

const block = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .optional();

const checkpoint = z.object({
  /** Identifies the deposit: after a reorganisation it may have another id. */
  relayHash: z.string(),
  /** Transaction on the destination that filled it. */
  fillTxHash: z.string().optional(),
  /** First blocks, in decimal, that the next searches for the fill and for the refund start at. */
  fillSearchFrom: block,
  refundSearchFrom: block,
});

/** State of the search, stored between polls. */
export type DepositCheckpoint = z.infer<typeof checkpoint>;

/** Parses the checkpoint of this deposit; an empty one when it is missing or of another deposit. */
export function readDepositCheckpoint(stored: unknown, relayHash: Hex): DepositCheckpoint {
  const parsed = checkpoint.safeParse(stored);
  return parsed.success && parsed.data.relayHash === relayHash ? parsed.data : { relayHash };
}
