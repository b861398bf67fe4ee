import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time. */
export const areEqualSecrets = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

/** A digest, because constant-time comparison needs equal lengths. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
