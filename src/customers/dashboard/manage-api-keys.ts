import { z } from 'zod';
import { type Actor, recordAudit } from '../../auth/audit-log';
import { serviceError } from '../../errors/service-error';
import { invariant } from '../../errors/invariant-error';
import type { Database, Transaction } from '../../persistence/database';
import {
  type ApiKeySummary,
  createApiKey,
  keyExpirySchema,
  type NewApiKey,
  revokeApiKey,
  rotateApiKeyIn,
} from '../api-keys';
import { labelSchema, parseParameters } from '../customers';
import { lockCustomer } from '../../auth/lock-customer';

/** API keys of a customer that are neither revoked nor expired. */
export const MAX_ACTIVE_KEYS = 50;

export interface ManageKeysDeps {
  readonly database: Database;
  /** `API_KEY_PEPPER` of the deployment. */
  readonly pepper: string;
}

/** A key with its secret, which is shown once. */
export interface CreatedApiKey {
  readonly apiKey: ApiKeySummary;
  /** The value of the header `x-api-key`. */
  readonly secret: string;
}

const THIRTY_DAYS = 30 * 86_400;
const expirySchema = z
  .string()
  .transform((text) => new Date(text))
  .pipe(keyExpirySchema)
  .nullish()
  .transform((expiry) => expiry ?? null);
const newKeySchema = z.object({ label: labelSchema, expiresAt: expirySchema });
const rotationSchema = z.object({
  overlapSeconds: z
    .int()
    .min(0, `must be between 0 and ${String(THIRTY_DAYS)}`)
    .max(THIRTY_DAYS, `must be between 0 and ${String(THIRTY_DAYS)}`),
  expiresAt: expirySchema,
});

const targetOf = (id: string) => ({ targetType: 'apiKey', targetId: id }) as const;

/** Creates a key, valid immediately. @throws VALIDATION_ERROR with all problems; API_KEY_LIMIT_REACHED */
export async function addApiKey(
  { database, pepper }: ManageKeysDeps,
  actor: Actor,
  given: z.input<typeof newKeySchema>,
): Promise<CreatedApiKey> {
  const { label, expiresAt } = parseParameters(newKeySchema, given);
  const { customerId } = actor;
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const key = await createApiKey({ database: tx, pepper }, { customerId, label, expiresAt });
    invariant(key, `customer ${customerId} has a principal but no row`);
    await assertKeyLimit(tx, actor);
    await recordAudit(tx, actor, { operation: 'createApiKey', ...targetOf(key.id) });
    return createdKey(key);
  });
}

/**
 * Replaces a key by a new one. The former one stays valid for the overlap.
 *
 * @throws VALIDATION_ERROR with all problems; API_KEY_NOT_FOUND; API_KEY_LIMIT_REACHED with an overlap
 */
export async function replaceApiKey(
  { database, pepper }: ManageKeysDeps,
  actor: Actor,
  { keyId, ...given }: z.input<typeof rotationSchema> & { readonly keyId: string },
): Promise<CreatedApiKey> {
  const { overlapSeconds, expiresAt } = parseParameters(rotationSchema, given);
  const { customerId } = actor;
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const key = await rotateApiKeyIn({ tx, pepper }, { customerId, keyId, overlapSeconds, expiresAt });
    if (key === undefined) throw serviceError('API_KEY_NOT_FOUND');
    if (overlapSeconds > 0) await assertKeyLimit(tx, actor);
    const detail = { newKeyId: key.id, overlapSeconds };
    await recordAudit(tx, actor, { operation: 'rotateApiKey', ...targetOf(keyId), detail });
    return createdKey(key);
  });
}

/** Revokes a key, on every replica within 5 s. A repeated call keeps the date of the first. @throws API_KEY_NOT_FOUND */
export async function withdrawApiKey(
  { database }: Pick<ManageKeysDeps, 'database'>,
  actor: Actor,
  keyId: string,
): Promise<ApiKeySummary> {
  const { customerId } = actor;
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const before = await tx.apiKey.findUnique({ where: { id: keyId, customerId }, select: { revokedAt: true } });
    const key = before === null ? undefined : await revokeApiKey(tx, { customerId, keyId });
    if (key === undefined) throw serviceError('API_KEY_NOT_FOUND');
    if (before?.revokedAt === null) await recordAudit(tx, actor, { operation: 'revokeApiKey', ...targetOf(keyId) });
    return key;
  });
}

async function assertKeyLimit(tx: Transaction, { customerId }: Actor): Promise<void> {
  const active = await tx.apiKey.count({
    where: { customerId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
  });
  if (active > MAX_ACTIVE_KEYS) throw serviceError('API_KEY_LIMIT_REACHED', { maximum: MAX_ACTIVE_KEYS });
}

function createdKey({ key: secret, id, prefix, label, createdAt, expiresAt }: NewApiKey): CreatedApiKey {
  return { secret, apiKey: { id, prefix, label, createdAt, expiresAt, lastUsedAt: null, revokedAt: null } };
}
