import { pino } from 'pino';
import { type IdentityProvider, startIdentityProvider } from '../../devnet/identity-provider/start-identity-provider';
import { type CustomerId, type Role, ROLES } from '../../src/auth/principal';
import { loadConfig } from '../../src/config/config';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { openInfrastructure } from '../../src/main/infrastructure';
import { startGateway } from '../../src/main/service';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

const PEPPER = 'ab'.repeat(32);

/** The credentials of a request: none, an API key, or an access token with a role. */
export type Sender = 'anonymous' | 'apiKey' | Role;
export const SENDERS: readonly Sender[] = ['anonymous', 'apiKey', ...ROLES];

export interface Tenant {
  readonly id: CustomerId;
  readonly headers: Readonly<Record<Sender, Readonly<Record<string, string>>>>;
}

/** A gateway with two customers, whose users have tokens of every role. */
export interface Tenants {
  readonly test: TestDatabase;
  readonly url: string;
  readonly one: Tenant;
  readonly other: Tenant;
  readonly provider: IdentityProvider;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export async function startTenants(): Promise<Tenants> {
  const [test, provider] = await Promise.all([createTestDatabase(), startIdentityProvider()]);
  const [one, other] = [await newTenant(test, provider, 'one'), await newTenant(test, provider, 'other')];
  const config = loadConfig({
    ...NO_LOAD_SHEDDING,
    ...LONG_DATABASE_TIMEOUT,
    DATABASE_URL: test.url,
    API_KEY_PEPPER: PEPPER,
    PORT: '0',
    SHUTDOWN_DRAIN_MS: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '1000000',
    PERSONAL_DATA_KEYS: `1:${'cd'.repeat(32)}`,
    BLIND_INDEX_KEY: 'ef'.repeat(32),
    JWKS_URL: provider.jwksUrl,
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: provider.audience,
  });
  const infrastructure = openInfrastructure(config, pino({ level: 'silent' }));
  const gateway = await startGateway(infrastructure);
  return {
    test,
    url: gateway.url,
    one,
    other,
    provider,
    fetch: (path, init) => fetch(gateway.url + path, init),
    async stop() {
      await gateway.close();
      await infrastructure.close();
      await provider.stop();
      await test.drop();
    },
  };
}

async function newTenant({ database }: TestDatabase, provider: IdentityProvider, name: string): Promise<Tenant> {
  const { id } = await createCustomer(database, { name });
  const created = await createApiKey({ database, pepper: PEPPER }, { customerId: id, label: 'server' });
  const bearer = async (role: Role) => {
    const token = await provider.issueToken({ customerId: id, subject: `${name}-${role}`, role });
    return { authorization: `Bearer ${token}` };
  };
  const [admin, owner, developer, viewer] = await Promise.all(ROLES.map(bearer));
  const headers = { anonymous: {}, apiKey: { 'x-api-key': created!.key } };
  return { id, headers: { ...headers, admin: admin!, owner: owner!, developer: developer!, viewer: viewer! } };
}
