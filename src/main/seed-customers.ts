import { createApiKey, findApiKey } from '../customers/api-keys';
import { createCustomer, setFeatures, setRateLimits } from '../customers/customers';
import type { CustomerId } from '../auth/principal';
import { parseApiKey } from '../auth/credentials/api-key';
import { invariant } from '../errors/invariant-error';
import type { Config } from '../config/config';
import { type Database, openDatabase } from '../persistence/database';
import { createWebhookSealer } from '../persistence/derived-sealer';
import type { Sealer } from '../persistence/personal-data';
import { rotateSecret } from '../webhooks/secrets';
import type { EmbeddedCustomer } from './describe-embedded';

const SEEDED = ['demo', 'other', 'load'] as const;
/** High enough for load tests, which use the customer `load`. */
const UNLIMITED = { rateLimitPerMinute: 1_000_000, rateLimitPerHour: 10_000_000 };

interface SeedDeps {
  readonly database: Database;
  readonly pepper: string;
  readonly sealer: Sealer;
}

/** Creates the customers of the embedded mode. Customers of an earlier start that still exist are kept. */
export async function seedCustomersOf(
  config: Config,
  kept: readonly EmbeddedCustomer[],
): Promise<readonly EmbeddedCustomer[]> {
  const { DATABASE_URL: url, API_KEY_PEPPER: pepper } = config;
  const opened = openDatabase({ url, poolSize: 1, log: { warn: () => undefined } });
  try {
    return await seedCustomers({ database: opened.database, pepper, sealer: createWebhookSealer(config) }, kept);
  } finally {
    await opened.close();
  }
}

async function seedCustomers(deps: SeedDeps, kept: readonly EmbeddedCustomer[]): Promise<readonly EmbeddedCustomer[]> {
  const customers: EmbeddedCustomer[] = [];
  for (const name of SEEDED) {
    const earlier = kept.find((customer) => customer.name === name);
    const isKept = earlier !== undefined && (await isStillThere(deps, earlier));
    customers.push(await withWebhookSecret(deps, isKept ? earlier : await seed(deps, name)));
  }
  return customers;
}

/** A customer of a version without webhooks has no secret yet. */
async function withWebhookSecret(deps: SeedDeps, customer: EmbeddedCustomer): Promise<EmbeddedCustomer> {
  if (customer.webhookSecret !== undefined) return customer;
  const owner = { customerId: customer.id as CustomerId, endpointId: undefined };
  return { ...customer, webhookSecret: await rotateSecret(deps, owner) };
}

async function isStillThere({ database }: SeedDeps, { apiKey }: EmbeddedCustomer): Promise<boolean> {
  const key = parseApiKey(apiKey);
  return key !== undefined && (await findApiKey(database, key.id)) !== undefined;
}

async function seed(deps: SeedDeps, name: (typeof SEEDED)[number]): Promise<EmbeddedCustomer> {
  const { id } = await createCustomer(deps.database, { name });
  const created = await createApiKey(
    { database: deps.database, pepper: deps.pepper },
    { customerId: id, label: 'embedded mode' },
  );
  invariant(created, `the customer ${name} vanished while it was seeded`);
  // The second customer has only the default features.
  if (name !== 'other') await setFeatures(deps.database, id, { feeSponsorship: true, secondaryRamp: true });
  if (name === 'load') await setRateLimits(deps.database, id, UNLIMITED);
  return { id, name, apiKey: created.key };
}
