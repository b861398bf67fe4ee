import { z } from 'zod';
import { formatApiKey, generateApiKey } from '../auth/api-key';
import type { CustomerId } from '../auth/principal';
import { hashSecret } from '../auth/secret-hash';
import type { PrismaClient } from '../persistence/client/client';
import { API_KEY_COLUMNS, type NewApiKey, toOwnedApiKey } from './api-key-summary';
import { checked } from './checked';

export interface ApiKeyDeps {
  readonly db: Pick<PrismaClient, 'apiKey' | 'customer'>;
  /** `API_KEY_PEPPER` of the deployment. */
  readonly pepper: string;
}

export interface ApiKeyParameters {
  readonly customerId: CustomerId;
  readonly label: string;
  /** `null`: never. */
  readonly expiresAt?: Date | null | undefined;
}

const schema = z.object({
  customerId: z.string(),
  label: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  expiresAt: z
    .date()
    .refine((expiry) => expiry.getTime() > Date.now(), 'must be in the future')
    .nullable()
    .default(null),
});

/** A new key for a customer, in force at once. `undefined` when there is no such customer. @throws VALIDATION_ERROR */
export async function createApiKey(
  { db, pepper }: ApiKeyDeps,
  parameters: ApiKeyParameters,
): Promise<NewApiKey | undefined> {
  const { customerId, label, expiresAt } = checked(schema, parameters);
  if ((await db.customer.findUnique({ where: { id: customerId }, select: { id: true } })) === null) return undefined;
  const key = generateApiKey();
  const row = await db.apiKey.create({
    data: { id: key.id, customerId, label, expiresAt, secretHash: Uint8Array.from(hashSecret(pepper, key.secret)) },
    select: API_KEY_COLUMNS,
  });
  return { ...toOwnedApiKey(row), key: formatApiKey(key) };
}
