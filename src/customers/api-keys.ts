import { z } from 'zod';
import { apiKeyPrefix, formatApiKey, generateApiKey } from '../auth/credentials/api-key';
import { hashSecret } from '../auth/credentials/secret-hash';
import type { CustomerId } from '../auth/principal';
import type { PrismaClient } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';
import { labelSchema, parseParameters } from './customers';

/** An API key as lists show it, without its secret, which is not stored. */
export interface ApiKeySummary {
  /** Public part of the key. */
  readonly id: string;
  /** First characters of the key. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: Date;
  /** Accurate to about a minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key with its customer, for the administration of the deployment. */
export interface OwnedApiKey extends ApiKeySummary {
  readonly customerId: CustomerId;
}

/** A new key with its secret, which is shown only once. */
export interface NewApiKey extends OwnedApiKey {
  readonly key: string;
}

export interface ApiKeyReference {
  readonly customerId: CustomerId;
  readonly keyId: string;
}

type ApiKeyTable = Pick<PrismaClient, 'apiKey'>;

/** The columns of an `OwnedApiKey`. */
const COLUMNS = {
  id: true,
  customerId: true,
  label: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
  revokedAt: true,
} as const;

const toOwnedApiKey = (
  row: Omit<OwnedApiKey, 'prefix' | 'customerId'> & { readonly customerId: string },
): OwnedApiKey => ({ ...row, customerId: row.customerId as CustomerId, prefix: apiKeyPrefix(row.id) });

function toSummary(key: OwnedApiKey): ApiKeySummary {
  const { id, prefix, label, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  return { id, prefix, label, createdAt, lastUsedAt, expiresAt, revokedAt };
}

/** A key of any customer, for the administration of the deployment. */
export async function findApiKey(database: ApiKeyTable, keyId: string): Promise<OwnedApiKey | undefined> {
  const row = await database.apiKey.findUnique({ where: { id: keyId }, select: COLUMNS });
  return row === null ? undefined : toOwnedApiKey(row);
}

/** More keys than any customer has in use. */
const MAX_LISTED = 500;

/** The keys of a customer, newest first, including expired and revoked ones. At most 500: revoked ones are left out first. */
export async function listApiKeys(database: ApiKeyTable, customerId: CustomerId): Promise<readonly ApiKeySummary[]> {
  const rows = await database.apiKey.findMany({
    where: { customerId },
    select: COLUMNS,
    orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }],
    take: MAX_LISTED,
  });
  const newestFirst = rows.toSorted(
    (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? -1 : 1),
  );
  return newestFirst.map((row) => toSummary(toOwnedApiKey(row)));
}

/** Later years have more than four digits, which neither the database nor the contract writes. */
const isStorable = (expiry: Date): boolean => expiry.getTime() < Date.UTC(10_000, 0);
const isFuture = (expiry: Date): boolean => expiry.getTime() > Date.now();

/** When a key expires. */
export const keyExpirySchema = z
  .date()
  .refine(isFuture, 'must be a time in the future')
  .refine(isStorable, 'must be before the year 10000');

const newKeySchema = z.object({
  customerId: z.string(),
  label: labelSchema,
  expiresAt: keyExpirySchema.nullable().default(null),
});

/**
 * Creates an API key, valid immediately. `undefined` when there is no such customer.
 * `pepper` is `API_KEY_PEPPER` of the deployment.
 *
 * @throws VALIDATION_ERROR
 */
export async function createApiKey(
  { database, pepper }: { readonly database: Pick<PrismaClient, 'apiKey' | 'customer'>; readonly pepper: string },
  parameters: {
    readonly customerId: CustomerId;
    readonly label: string;
    /** `null`: the key does not expire. */
    readonly expiresAt?: Date | null | undefined;
  },
): Promise<NewApiKey | undefined> {
  const { customerId, label, expiresAt } = parseParameters(newKeySchema, parameters);
  const customer = await database.customer.findUnique({ where: { id: customerId }, select: { id: true } });
  if (customer === null) return undefined;
  const key = generateApiKey();
  const row = await database.apiKey.create({
    data: { id: key.id, customerId, label, expiresAt, secretHash: Uint8Array.from(hashSecret(pepper, key.secret)) },
    select: COLUMNS,
  });
  return { ...toOwnedApiKey(row), key: formatApiKey(key) };
}

/**
 * Revokes a key: every replica refuses it within 5 s. A key that was revoked before keeps its date.
 * `undefined` when the customer has no such key.
 */
export async function revokeApiKey(
  database: ApiKeyTable,
  { customerId, keyId: id }: ApiKeyReference,
): Promise<ApiKeySummary | undefined> {
  await database.apiKey.updateMany({ where: { id, customerId, revokedAt: null }, data: { revokedAt: new Date() } });
  const row = await database.apiKey.findUnique({ where: { id, customerId }, select: COLUMNS });
  return row === null ? undefined : toSummary(toOwnedApiKey(row));
}

export interface ApiKeyRotation extends ApiKeyReference {
  /** Seconds for which the old key remains valid; 0 ends it immediately. */
  readonly overlapSeconds: number;
  /** Expiry of the new key; it does not expire when not given. */
  readonly expiresAt?: Date | null | undefined;
}

const THIRTY_DAYS = 30 * 86_400;
const overlapSchema = z.object({ overlapSeconds: z.int().min(0).max(THIRTY_DAYS) });

/**
 * Replaces a key by a new one with the same label. The old key expires after the overlap, or at its own expiry if that is
 * earlier. `undefined` when the customer has no such key, or it has expired or was revoked.
 *
 * @throws VALIDATION_ERROR
 */
export function rotateApiKey(
  { database, pepper }: { readonly database: Pick<PrismaClient, '$transaction'>; readonly pepper: string },
  rotation: ApiKeyRotation,
): Promise<NewApiKey | undefined> {
  return database.$transaction((tx) => rotateApiKeyIn({ tx, pepper }, rotation));
}

/** Like `rotateApiKey`, as a part of a transaction. */
export async function rotateApiKeyIn(
  { tx, pepper }: { readonly tx: Transaction; readonly pepper: string },
  rotation: ApiKeyRotation,
): Promise<NewApiKey | undefined> {
  const { customerId, keyId, expiresAt } = rotation;
  const { overlapSeconds } = parseParameters(overlapSchema, rotation);
  const until = new Date(Date.now() + overlapSeconds * 1000);
  const [old] = await tx.$queryRaw<{ label: string }[]>`
    UPDATE "ApiKey" SET "expiresAt" = LEAST("expiresAt", ${until}::timestamptz)
    WHERE "id" = ${keyId} AND "customerId" = ${customerId}::uuid
      AND "revokedAt" IS NULL AND ("expiresAt" IS NULL OR "expiresAt" > now())
    RETURNING "label"`;
  return old && createApiKey({ database: tx, pepper }, { customerId, label: old.label, expiresAt });
}
