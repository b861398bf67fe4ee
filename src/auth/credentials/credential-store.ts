import type { PrismaClient } from '../../persistence/client/client';
import type { CustomerId } from '../principal';

/** What is stored of an API key. */
export interface ApiKeyRecord {
  readonly customerId: CustomerId;
  readonly secretHash: Uint8Array;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** What every request of a customer depends on. `null` limits stand for those of the deployment. */
export interface CustomerStanding {
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly rateLimitPerMinute: number | null;
  readonly rateLimitPerHour: number | null;
}

/** Where credentials are looked up. */
export interface CredentialStore {
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  findCustomer(id: string): Promise<CustomerStanding | undefined>;
  /** Notes that the keys were used now, unless that was noted within the last minute. */
  recordUse(keyIds: readonly string[]): Promise<void>;
}

const NOTED_EVERY_MS = 60_000;

export function createCredentialStore(db: Pick<PrismaClient, 'apiKey' | 'customer'>): CredentialStore {
  return {
    async findApiKey(id) {
      const select = { customerId: true, secretHash: true, expiresAt: true, revokedAt: true } as const;
      const row = await db.apiKey.findUnique({ where: { id }, select });
      return row === null ? undefined : { ...row, customerId: row.customerId as CustomerId };
    },
    async findCustomer(id) {
      const select = { status: true, rateLimitPerMinute: true, rateLimitPerHour: true } as const;
      return (await db.customer.findUnique({ where: { id }, select })) ?? undefined;
    },
    async recordUse(keyIds) {
      const now = new Date();
      const before = new Date(now.getTime() - NOTED_EVERY_MS);
      await db.apiKey.updateMany({
        where: { id: { in: [...keyIds] }, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] },
        data: { lastUsedAt: now },
      });
    },
  };
}
