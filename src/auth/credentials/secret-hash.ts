import { createHmac, timingSafeEqual } from 'node:crypto';

const UNKNOWN_HASH = Buffer.alloc(32);

/** HMAC-SHA-256 of an API key's secret with the pepper (hexadecimal). Only this hash is stored. */
export const hashSecret = (pepper: string, secret: string): Buffer =>
  createHmac('sha256', Buffer.from(pepper, 'hex')).update(secret).digest();

/**
 * True when the candidate equals the stored hash. Takes the same time without a stored hash, so that response times do not
 * reveal which ids exist.
 */
export function matchesSecretHash(secretHash: Uint8Array | undefined, candidate: Buffer): boolean {
  const expected = secretHash?.length === candidate.length ? secretHash : UNKNOWN_HASH;
  return timingSafeEqual(expected, candidate) && expected !== UNKNOWN_HASH;
}
