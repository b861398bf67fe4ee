import { chosenLimitsSchema, effectiveLimit } from '../auth/customer-limits';
import type { CustomerId, Role } from '../auth/principal';
import { permissionsOf } from '../auth/roles';
import { invariant } from '../errors/invariant-error';
import type { PrismaClient } from '../persistence/client/client';
import { type ApiKeySummary, listApiKeys } from './api-keys';
import { type Customer, FEATURES } from './customers';

/** The customer as shown to the bearer of one of its access tokens. */
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
  /** URL of the first enabled webhook endpoint. */
  readonly webhookURL: string | null;
}

export interface CustomerProfileDeps {
  readonly database: Pick<PrismaClient, 'customer' | 'apiKey' | 'webhookEndpoint'>;
  /** The deployment's limits, for customers without their own. */
  readonly rateLimit: CustomerProfile['rateLimit'];
}

/** Profile of a customer. The customer exists: the check of the credential has established that. */
export async function customerProfile(
  { database, rateLimit }: CustomerProfileDeps,
  { customerId, role }: { readonly customerId: CustomerId; readonly role: Role },
): Promise<CustomerProfile> {
  const [row, apiKeys, endpoint] = await Promise.all([
    database.customer.findUnique({ where: { id: customerId } }),
    listApiKeys(database, customerId),
    database.webhookEndpoint.findFirst({
      where: { customerId, kind: 'CUSTOMER', state: 'ENABLED' },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { url: true },
    }),
  ]);
  invariant(row, `customer ${customerId} has a principal but no row`);
  const { name, status, createdAt } = row;
  const { requestsPerMinute, requestsPerHour } = chosenLimitsSchema.parse(row.chosenLimits);
  return {
    id: customerId,
    name,
    status,
    role,
    permissions: permissionsOf(role),
    createdAt,
    apiKeys,
    features: FEATURES.filter((feature) => row[feature] && !(feature === 'feeSponsorship' && row.sponsorshipPaused)),
    webhookURL: endpoint?.url ?? null,
    rateLimit: {
      perMinute: effectiveLimit(row.rateLimitPerMinute ?? rateLimit.perMinute, requestsPerMinute),
      perHour: effectiveLimit(row.rateLimitPerHour ?? rateLimit.perHour, requestsPerHour),
    },
  };
}
