import { createHmac, timingSafeEqual } from 'node:crypto';

const NOBODY = Buffer.alloc(32);

/** HMAC-SHA-256 of an API key's secret under the pepper (hexadecimal): all of it that is stored. */
export const hashSecret = (pepper: string, secret: string): Buffer =>
  createHmac('sha256', Buffer.from(pepper, 'hex')).update(secret).digest();

/**
 * True when the secret belongs to the stored hash. Takes as long for a hash that does not exist,
 * so that an answer's time does not tell which ids do.
 */
export function matchesSecretHash(secretHash: Uint8Array | undefined, candidate: Buffer): boolean {
  const expected = secretHash?.length === candidate.length ? secretHash : NOBODY;
  return timingSafeEqual(expected, candidate) && expected !== NOBODY;
}
