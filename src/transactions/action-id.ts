import { createHash } from 'node:crypto';

/**
 * Id of the action that executes a quote: a UUID v7 with the quote's timestamp. Its other bits are a hash of the quote's id.
 *
 * Deterministic, so that calldata, user operations and references that contain it can be built before the database
 * transaction that creates the action, and are the same for every request that executes the quote.
 */
export function actionIdForQuote(quoteId: string): string {
  const digits = createHash('sha256').update(`action of ${quoteId}`).digest('hex');
  const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  const random = `7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, 19)}`;
  return `${quoteId.slice(0, 13)}-${random}`;
}
