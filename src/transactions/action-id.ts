import { createHash } from 'node:crypto';

/**
 * Id of the action that a quote makes: a UUID v7 of the quote's moment, whose other bits follow from the quote's id.
 *
 * Known before the action is written down, so that everything that carries it (calldata, user operations, references)
 * can be built outside of the database transaction, and the same for every request that executes the quote.
 */
export function actionIdOf(quoteId: string): string {
  const digits = createHash('sha256').update(`action of ${quoteId}`).digest('hex');
  const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  const random = `7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, 19)}`;
  return `${quoteId.slice(0, 13)}-${random}`;
}
