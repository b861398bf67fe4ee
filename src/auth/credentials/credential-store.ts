import { runForService } from '../../persistence/customer-scope';
import type { PrismaClient } from '../../persistence/client/client';
import { chosenLimitsSchema, ownLimitsSchema, type StoredLimits } from '../customer-limits';
import type { CustomerId, Role } from '../principal';

/** The stored record of an API key. */
export interface ApiKeyRecord {
  readonly customerId: CustomerId;
  readonly secretHash: Uint8Array;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Status and limits of a customer, which every request depends on. `null` stands for the deployment's limit. */
export interface CustomerStanding extends StoredLimits {
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly rateLimitPerMinute: number | null;
  readonly rateLimitPerHour: number | null;
}

/** The access that the operator has given to a user of a customer's dashboard. */
export interface MemberRecord {
  readonly role: Role;
  readonly revokedAt: Date | null;
  /** False while only users with a weaker role than `admin` wrote the record. */
  readonly bindsAdmin: boolean;
}

/** False for a record that is without effect on a user whose role is `admin` without it. */
export const isBinding = ({ bindsAdmin }: Pick<MemberRecord, 'bindsAdmin'>, roleWithout: Role | undefined): boolean =>
  bindsAdmin || roleWithout !== 'admin';

/** The key of a member, by the subject of its access tokens. */
export const memberKey = (customerId: CustomerId, subject: string): string => `${customerId} ${subject}`;

/** Stored credentials. */
export interface CredentialStore {
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  findCustomer(id: string): Promise<CustomerStanding | undefined>;
  /** Finds a member by its `memberKey`. */
  findMember(key: string): Promise<MemberRecord | undefined>;
  /** Records that the keys were used now, at most once a minute per key. */
  recordUse(keyIds: readonly string[]): Promise<void>;
}

/** The columns of a `CustomerStanding`. */
const STANDING = {
  status: true,
  rateLimitPerMinute: true,
  rateLimitPerHour: true,
  limits: true,
  chosenLimits: true,
} as const;

const RECORD_INTERVAL_MS = 60_000;

type Credentials = Pick<PrismaClient, 'apiKey' | 'customer' | 'member'>;

/** Reads and writes outside of the scope of a customer: the result is cached for the requests of all. */
export function createCredentialStore(database: Credentials): CredentialStore {
  const store = createUnscopedStore(database);
  return {
    findApiKey: (id) => runForService('credentials', () => store.findApiKey(id)),
    findCustomer: (id) => runForService('credentials', () => store.findCustomer(id)),
    findMember: (key) => runForService('credentials', () => store.findMember(key)),
    recordUse: (keyIds) => runForService('keyUses', () => store.recordUse(keyIds)),
  };
}

function createUnscopedStore(database: Credentials): CredentialStore {
  return {
    async findApiKey(id) {
      const select = { customerId: true, secretHash: true, expiresAt: true, revokedAt: true } as const;
      const row = await database.apiKey.findUnique({ where: { id }, select });
      return row === null ? undefined : { ...row, customerId: row.customerId as CustomerId };
    },
    async findCustomer(id) {
      const row = await database.customer.findUnique({ where: { id }, select: STANDING });
      if (row === null) return undefined;
      const [limits, chosenLimits] = [ownLimitsSchema.parse(row.limits), chosenLimitsSchema.parse(row.chosenLimits)];
      return { ...row, limits, chosenLimits };
    },
    async findMember(key) {
      const end = key.indexOf(' ');
      const where = { customerId_subject: { customerId: key.slice(0, end), subject: key.slice(end + 1) } };
      const select = { role: true, revokedAt: true, bindsAdmin: true } as const;
      return (await database.member.findUnique({ where, select })) ?? undefined;
    },
    async recordUse(keyIds) {
      const now = new Date();
      const before = new Date(now.getTime() - RECORD_INTERVAL_MS);
      await database.apiKey.updateMany({
        where: { id: { in: [...keyIds] }, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] },
        data: { lastUsedAt: now },
      });
    },
  };
}
