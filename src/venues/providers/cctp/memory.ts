import type { Hex } from 'viem';
import { z } from 'zod';

const word = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text) => text as Hex)
  .optional();

const memory = z.object({
  /** Which transfer it is about. */
  originTxHash: z.string(),
  /** By which the destination knows the burn. */
  nonce: word,
  /** First block of the destination, in decimal, that was not searched for the mint yet. */
  searchFrom: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .optional(),
  mintTxHash: word,
  /** When a new attestation was last asked for, in Unix milliseconds. */
  reattestedAt: z.number().optional(),
});

/** What one look at a transfer leaves for the next. */
export type Memory = z.infer<typeof memory>;

/** The memory of this transfer; an empty one when there is none. */
export function readMemory(left: unknown, originTxHash: string): Memory {
  const parsed = memory.safeParse(left);
  return parsed.success && parsed.data.originTxHash === originTxHash ? parsed.data : { originTxHash };
}
