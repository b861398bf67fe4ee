import { apiKeyPrefix } from '../auth/api-key';
import type { CustomerId } from '../auth/principal';

/** An API key as lists show it: everything but its secret, which nobody has. */
export interface ApiKeySummary {
  /** Public part of the key. */
  readonly id: string;
  /** How the key begins. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: Date;
  /** Accurate to about a minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key of which the administration also says whose it is. */
export interface OwnedApiKey extends ApiKeySummary {
  readonly customerId: CustomerId;
}

/** The key itself, which is shown once. */
export interface NewApiKey extends OwnedApiKey {
  readonly key: string;
}

/** The columns of an `OwnedApiKey`. */
export const API_KEY_COLUMNS = {
  id: true,
  customerId: true,
  label: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
  revokedAt: true,
} as const;

export const toOwnedApiKey = (
  row: Omit<OwnedApiKey, 'prefix' | 'customerId'> & { readonly customerId: string },
): OwnedApiKey => ({ ...row, customerId: row.customerId as CustomerId, prefix: apiKeyPrefix(row.id) });

export function toSummary(key: OwnedApiKey): ApiKeySummary {
  const { id, prefix, label, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  return { id, prefix, label, createdAt, lastUsedAt, expiresAt, revokedAt };
}
