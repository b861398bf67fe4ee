import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Transaction } from '../persistence/database';

export interface QuoteClaim {
  readonly quoteId: string;
  readonly customerId: CustomerId;
  /** Hash of the request's fields that determine the execution. */
  readonly bytecodeHash: Uint8Array;
  /** Replaces the quote's webhook URL; `undefined` keeps it. */
  readonly webhookUrl: string | undefined;
}

/**
 * Binds a quote to the first request that executes it, in one statement. Under concurrent requests exactly one binds the
 * quote; a repetition of that request succeeds, and a request with other fields is refused.
 *
 * Returns the quote's webhook URL.
 *
 * @throws QUOTE_EXPIRED by the clock of the database, QUOTE_VALIDATION_ERROR
 */
export async function claimQuote(tx: Transaction, claim: QuoteClaim): Promise<{ webhookUrl: string | undefined }> {
  const { quoteId, customerId, bytecodeHash, webhookUrl = null } = claim;
  const [claimed] = await tx.$queryRaw<{ webhookUrl: string | null }[]>`
    UPDATE "Quote" SET "bytecodeHash" = ${bytecodeHash}, "webhookUrl" = COALESCE(${webhookUrl}, "webhookUrl")
    WHERE id = ${quoteId}::uuid AND "customerId" = ${customerId}::uuid AND deadline > now()
      AND ("bytecodeHash" IS NULL OR "bytecodeHash" = ${bytecodeHash})
    RETURNING "webhookUrl"`;
  if (claimed !== undefined) return { webhookUrl: claimed.webhookUrl ?? undefined };
  const [quote] = await tx.$queryRaw<{ expired: boolean }[]>`
    SELECT deadline <= now() AS expired FROM "Quote" WHERE id = ${quoteId}::uuid AND "customerId" = ${customerId}::uuid`;
  if (quote === undefined) throw serviceError('QUOTE_NOT_FOUND', { quoteId });
  throw quote.expired ? serviceError('QUOTE_EXPIRED') : boundElsewhereError(quoteId);
}

/** The quote is bound to a request with another body. */
export const boundElsewhereError = (quoteId: string) =>
  serviceError('QUOTE_VALIDATION_ERROR', { quoteId, reason: 'it was already executed by a request with another body' });
