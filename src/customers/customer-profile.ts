import type { CustomerId, Role } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import type { PrismaClient } from '../persistence/client/client';
import type { ApiKeySummary } from './api-key-summary';
import { FEATURES } from './change-customer';
import type { Customer } from './customer';
import { listApiKeys } from './list-api-keys';
import { PERMISSIONS } from './permissions';

/** The customer as the bearer of one of its access tokens sees it. */
export interface CustomerProfile {
  readonly id: CustomerId;
  readonly name: string;
  readonly status: Customer['status'];
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly createdAt: Date;
  readonly apiKeys: readonly ApiKeySummary[];
  /** Requests that each API key may make. */
  readonly rateLimit: { readonly perMinute: number; readonly perHour: number };
  /** Features that are switched on for the customer. */
  readonly features: readonly string[];
  readonly webhookURL: string | null;
}

export interface CustomerProfileDeps {
  readonly db: Pick<PrismaClient, 'customer' | 'apiKey'>;
  /** Limits of the deployment, for customers without their own. */
  readonly rateLimit: CustomerProfile['rateLimit'];
}

/** Profile of a customer that exists, which the check of the credential has established. */
export async function customerProfile(
  { db, rateLimit }: CustomerProfileDeps,
  { customerId, role }: { readonly customerId: CustomerId; readonly role: Role },
): Promise<CustomerProfile> {
  const [row, apiKeys] = await Promise.all([
    db.customer.findUnique({ where: { id: customerId } }),
    listApiKeys(db, customerId),
  ]);
  invariant(row, `customer ${customerId} has a principal but no row`);
  const { name, status, createdAt, webhookUrl: webhookURL } = row;
  return {
    id: customerId,
    name,
    status,
    role,
    permissions: PERMISSIONS[role],
    createdAt,
    apiKeys,
    features: FEATURES.filter((feature) => row[feature]),
    webhookURL,
    rateLimit: {
      perMinute: row.rateLimitPerMinute ?? rateLimit.perMinute,
      perHour: row.rateLimitPerHour ?? rateLimit.perHour,
    },
  };
}
