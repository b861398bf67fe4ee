import type { CustomerId } from '../auth/principal';
import type { PrismaClient } from '../persistence/client/client';
import { API_KEY_COLUMNS, type ApiKeySummary, toOwnedApiKey, toSummary } from './api-key-summary';

export interface ApiKeyReference {
  readonly customerId: CustomerId;
  readonly keyId: string;
}

/**
 * Ends a key within 5 s on every replica; one that was revoked before keeps its date.
 * `undefined` when the customer has no such key.
 */
export async function revokeApiKey(
  db: Pick<PrismaClient, 'apiKey'>,
  { customerId, keyId: id }: ApiKeyReference,
): Promise<ApiKeySummary | undefined> {
  await db.apiKey.updateMany({ where: { id, customerId, revokedAt: null }, data: { revokedAt: new Date() } });
  const row = await db.apiKey.findUnique({ where: { id, customerId }, select: API_KEY_COLUMNS });
  return row === null ? undefined : toSummary(toOwnedApiKey(row));
}
