import { SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';

/** Account that contains slot and time of a Solana chain. */
export const CLOCK_ACCOUNT = SYSVAR_CLOCK_PUBKEY.toBase58();

/** Offsets of slot and time in the clock account. */
const SLOT_OFFSET = 0;
const TIME_OFFSET = 32;
export const CLOCK_BYTES = TIME_OFFSET + 8;

export interface SolanaClock {
  readonly slot: bigint;
  readonly unixSeconds: bigint;
}

/** `undefined` for data that is no clock. */
export function readClock(data: Buffer): SolanaClock | undefined {
  if (data.length < CLOCK_BYTES) return undefined;
  return { slot: data.readBigUInt64LE(SLOT_OFFSET), unixSeconds: data.readBigInt64LE(TIME_OFFSET) };
}
