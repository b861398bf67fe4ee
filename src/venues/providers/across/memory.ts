import type { Hex } from 'viem';
import { z } from 'zod';

const block = z
  .string()
  .regex(/^[0-9]{1,20}$/)
  .optional();

const memory = z.object({
  /** Which deposit it is about: another block order can give the deposit another number. */
  relayHash: z.string(),
  /** Transaction on the destination that filled it. */
  fillTxHash: z.string().optional(),
  /** First blocks, in decimal, that were not searched for the fill and for the refund yet. */
  fillSearchFrom: block,
  refundSearchFrom: block,
});

/** What one look at a deposit leaves for the next. */
export type Memory = z.infer<typeof memory>;

/** The memory of this deposit; an empty one when there is none. */
export function readMemory(left: unknown, relayHash: Hex): Memory {
  const parsed = memory.safeParse(left);
  return parsed.success && parsed.data.relayHash === relayHash ? parsed.data : { relayHash };
}
