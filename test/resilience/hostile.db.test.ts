import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestActions } from '../../scripts/chaos/load';
import { type ServiceProcess, startService } from '../../scripts/chaos/service-process';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { LONG_DATABASE_TIMEOUT } from '../setup/no-load-shedding';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { ATTACKS } from './hostile/attacks';
import { createProbe, type Probe } from './hostile/open-probe';
import { isExpected, type Target } from './hostile/target';
import { until } from './until';

const PEPPER = 'ab'.repeat(32);
/** Hostile requests at the same time; `npm run chaos -- hostile` sends more, and measures. */
const FLOOD = 5;

let test: TestDatabase;
let service: ServiceProcess;
let probe: Probe;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'afluente-hostile-'));
  test = await createTestDatabase();
  probe = createProbe(directory);
  service = await startService({
    DATABASE_URL: test.url,
    API_KEY_PEPPER: PEPPER,
    SHUTDOWN_DRAIN_MS: '0',
    DATABASE_POOL_SIZE: '5',
    TRUSTED_PROXIES: '1',
    // Callers wait their turn on a slow machine; `npm run chaos -- hostile` measures how long.
    QUEUE_TIMEOUT_MS: '60000',
    ...LONG_DATABASE_TIMEOUT,
    ...probe.settings,
  });
});
afterAll(async () => {
  await service.stop();
  await test.drop();
  rmSync(directory, { recursive: true, force: true });
});

/** The service as a customer of its own reaches it, from an address of its own. */
async function targetOf(
  name: string,
  limits?: { readonly rateLimitPerMinute: number; readonly rateLimitPerHour: number },
): Promise<Target> {
  const { id } = await createCustomer(test.database, { name, ...limits });
  const created = await createApiKey({ database: test.database, pepper: PEPPER }, { customerId: id, label: name });
  return {
    url: service.url,
    apiKey: created!.key,
    address: `198.51.100.${String((await test.database.customer.count()) % 250)}`,
  };
}

describe('a service that one customer attacks', () => {
  let other: Target;
  let before: number;
  beforeAll(async () => {
    other = await targetOf('other', { rateLimitPerMinute: 1_000_000, rateLimitPerHour: 1_000_000 });
    const first = await targetOf('first attacker');
    for (const attack of ATTACKS) await attack.send(first); // code is compiled and caches are filled
    before = (await probe.memory()).heapUsed;
  });

  it.each(ATTACKS)('responds to $name without a failure, and to other customers as usual', async (attack) => {
    const target = await targetOf(attack.name);
    const state = { isOver: false };
    const flood = Promise.all(Array.from({ length: FLOOD }, () => attack.send(target))).finally(
      () => (state.isOver = true),
    );
    const failures: string[] = [];
    do {
      const failure = await requestActions(other);
      if (failure !== undefined) failures.push(failure);
    } while (!state.isOver);
    expect((await flood).filter((outcome) => !isExpected(outcome))).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('keeps nothing of the attacks in memory', async () => {
    await until('the memory is released', async () => (await probe.memory()).heapUsed <= 1.2 * before);
  });
});
