import { randomBytes, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { privateKeyToAddress } from 'viem/accounts';
import { cpfOf } from '../../scripts/demo/person-evidence';
import { loadConfig } from '../../src/config/config';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer, setFeatures } from '../../src/customers/customers';
import { openInfrastructure } from '../../src/main/infrastructure';
import { startGateway } from '../../src/main/service';
import { LONG_DATABASE_TIMEOUT, NO_LOAD_SHEDDING } from '../setup/no-load-shedding';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { type ScriptedRamp, scriptedRamp } from './scripted-ramps';

const PEPPER = 'ab'.repeat(32);

export interface KycResponse {
  readonly status: number;
  readonly body: any;
}

/** The gateway of the service on its own port, with scripted ramps in this process. */
export interface KycGateway {
  readonly test: TestDatabase;
  readonly primary: ScriptedRamp;
  readonly secondary: ScriptedRamp;
  /** The log, at debug level. */
  readonly log: () => string;
  /** Two customers. Only the first one has the secondary ramp. */
  readonly customerIds: readonly string[];
  call(method: string, path: string, options?: CallOptions): Promise<KycResponse>;
  stop(): Promise<void>;
}

interface CallOptions {
  readonly body?: unknown;
  /** True to send the request as the second customer. */
  readonly asOther?: boolean;
  readonly idempotencyKey?: string;
}

export const BLOCKED = '0x000000000000000000000000000000000b10c4ed';

export async function startKycGateway(): Promise<KycGateway> {
  const test = await createTestDatabase();
  const { database } = test;
  const tenants = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const { id } = await createCustomer(database, { name });
      const created = await createApiKey({ database, pepper: PEPPER }, { customerId: id, label: name });
      return { id, key: created!.key };
    }),
  );
  await setFeatures(database, tenants[0]!.id, { secondaryRamp: true });
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  const config = loadConfig({
    ...NO_LOAD_SHEDDING,
    ...LONG_DATABASE_TIMEOUT,
    DATABASE_URL: test.url,
    API_KEY_PEPPER: PEPPER,
    PORT: '0',
    SHUTDOWN_DRAIN_MS: '0',
    ALLOW_LOOPBACK_URLS: 'true',
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_PER_HOUR: '1000000',
    BLOCKED_ADDRESSES: BLOCKED,
    PERSONAL_DATA_KEYS: `1:${'cd'.repeat(32)}`,
    BLIND_INDEX_KEY: 'ef'.repeat(32),
    EVIDENCE_HOSTS: 'files.test',
    SECONDARY_RAMP_API_KEY: 'scripted',
  });
  const infrastructure = openInfrastructure(config, pino({ level: 'debug' }, stream));
  const [primary, secondary] = [scriptedRamp('primary'), scriptedRamp('secondary')];
  const kycProviders = { primary: primary.provider, secondary: secondary.provider };
  const rampProviders = {
    primary: { ...infrastructure.ramps.rampProviders.primary, accountLimits: primary.provider.accountLimits },
    secondary: { ...infrastructure.ramps.rampProviders.secondary, accountLimits: secondary.provider.accountLimits },
  };
  const gateway = await startGateway({
    ...infrastructure,
    kyc: { ...infrastructure.kyc, kycProviders },
    ramps: { ...infrastructure.ramps, rampProviders },
  });
  return {
    test,
    primary,
    secondary,
    log: () => lines.join(''),
    customerIds: tenants.map(({ id }) => id),
    async call(method, path, { body, asOther = false, idempotencyKey } = {}) {
      const { key } = tenants[asOther ? 1 : 0]!;
      const response = await fetch(gateway.url + path, {
        method,
        headers: {
          'x-api-key': key,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async stop() {
      await gateway.close();
      await infrastructure.close();
      await test.drop();
    },
  };
}

export const newWallet = (): string => privateKeyToAddress(`0x${randomBytes(32).toString('hex')}`);

export interface Opened {
  readonly kycUserId: string;
  readonly cpf: string;
  readonly walletAddress: string;
  readonly email: string;
}

export async function openedSession(gateway: KycGateway): Promise<Opened> {
  const [cpf, walletAddress] = [cpfOf(randomUUID()), newWallet()];
  const email = `ana.${cpf}@example.com`;
  const { body, status } = await gateway.call('POST', '/api/v1/kyc/sessions', { body: { cpf, email, walletAddress } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { kycUserId: body.kycUserId, cpf, walletAddress, email };
}
