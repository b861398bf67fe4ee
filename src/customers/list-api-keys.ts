import type { CustomerId } from '../auth/principal';
import type { PrismaClient } from '../persistence/client/client';
import { API_KEY_COLUMNS, type ApiKeySummary, toOwnedApiKey, toSummary } from './api-key-summary';

/** All keys of a customer, the newest first, those that are no longer in force included. */
export async function listApiKeys(
  db: Pick<PrismaClient, 'apiKey'>,
  customerId: CustomerId,
): Promise<readonly ApiKeySummary[]> {
  const rows = await db.apiKey.findMany({
    where: { customerId },
    select: API_KEY_COLUMNS,
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  return rows.map((row) => toSummary(toOwnedApiKey(row)));
}
