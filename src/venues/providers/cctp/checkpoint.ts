import type { Hex } from 'viem';
import { z } from 'zod';

const word = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text) => text as Hex)
  .optional();

const checkpoint = z.object({
  /** Origin transaction that the checkpoint belongs to. */
  originTxHash: z.string(),
  /** Nonce of the burn on the destination chain. */
  nonce: word,
  /** First destination block, in decimal, that the next search for the mint starts at. */
  searchFrom: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .optional(),
  mintTxHash: word,
  /** Time of the last request for a new attestation, in Unix milliseconds. */
  reattestedAt: z.number().optional(),
});

/** State of the burn, stored between polls. */
export type BurnCheckpoint = z.infer<typeof checkpoint>;

/** Parses the checkpoint of this transfer; an empty one when it is missing or of another transfer. */
export function readBurnCheckpoint(stored: unknown, originTxHash: string): BurnCheckpoint {
  const parsed = checkpoint.safeParse(stored);
  return parsed.success && parsed.data.originTxHash === originTxHash ? parsed.data : { originTxHash };
}
