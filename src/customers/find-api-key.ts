import type { PrismaClient } from '../persistence/client/client';
import { API_KEY_COLUMNS, type OwnedApiKey, toOwnedApiKey } from './api-key-summary';

/** A key of any customer, for the administration of the deployment. */
export async function findApiKey(db: Pick<PrismaClient, 'apiKey'>, keyId: string): Promise<OwnedApiKey | undefined> {
  const row = await db.apiKey.findUnique({ where: { id: keyId }, select: API_KEY_COLUMNS });
  return row === null ? undefined : toOwnedApiKey(row);
}
