import { createHash, timingSafeEqual } from 'node:crypto';

/** True when a secret that was given is the one expected. The time that it takes tells nothing of how much of it is right. */
export const areEqualSecrets = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

/** Of one length, whatever the text's is. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
