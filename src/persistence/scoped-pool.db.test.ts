import { setTimeout as wait } from 'node:timers/promises';
import { newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { TEST_SEED } from '../../test/setup/seed';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { runForCaller, runForCustomer, runForService } from './customer-scope';
import { type OpenDatabase, openScopedDatabase } from './database';

const REQUESTS = 1000;
const CONCURRENT = 12;
const customers = Array.from({ length: 5 }, newCustomer);

const log = { warn: () => undefined };
const timeouts = { statement: 50_000, lock: 40_000, query: 60_000 };

let test: TestDatabase;
let scoped: OpenDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  scoped = openScopedDatabase({ url: test.url, poolSize: 3, servicePoolSize: 2, log, timeouts });
  for (const customerId of customers) await sampleQuote(test.database, customerId);
});
afterAll(async () => {
  await scoped.close();
  await test.drop();
});

const VISIBLE = 'SELECT DISTINCT "customerId"::text AS owner FROM "Quote"';
type Owners = readonly { readonly owner: string }[];

/** The client's timeout is 5 ms. On a slow machine the response may arrive first. */
const SLOW = { text: 'SELECT pg_sleep(0.1)', query_timeout: 5 };
let timedOut = 0;

const ownersSeen = async (): Promise<Owners> => (await scoped.pool.query<{ owner: string }>(VISIBLE)).rows;

/** What a request may do with its connections; each returns the owners of the rows that it saw. */
const WORK: Readonly<Record<string, (customerId: string | undefined) => Promise<Owners>>> = {
  'a query': ownersSeen,
  'two queries at once': async () => (await Promise.all([ownersSeen(), ownersSeen()])).flat(),
  'a query of the client': async () =>
    (await scoped.database.quote.findMany({ distinct: ['customerId'], select: { customerId: true } })).map(
      ({ customerId: owner }) => ({ owner }),
    ),
  'a transaction': () => scoped.database.$transaction((tx) => tx.$queryRawUnsafe<Owners>(VISIBLE)),
  'a transaction that fails': async () => {
    let seen: Owners = [];
    const failing = scoped.database.$transaction(async (tx) => {
      seen = await tx.$queryRawUnsafe<Owners>(VISIBLE);
      await tx.$queryRawUnsafe('SELECT 1 / 0');
    });
    await expect(failing).rejects.toThrow();
    return seen;
  },
  'a write that is rolled back': async (customerId) => {
    const failing = scoped.database.$transaction(async (tx) => {
      if (customerId !== undefined) await sampleQuote(tx as OpenDatabase['database'], customerId as never);
      await tx.$executeRawUnsafe('SELECT no_such_function()');
    });
    await expect(failing).rejects.toThrow();
    return ownersSeen();
  },
  'a statement that the server cancels': async () => {
    const cancelled = scoped.pool.query('SET LOCAL statement_timeout = 5; SELECT pg_sleep(60)');
    await expect(cancelled).rejects.toThrow('statement timeout');
    return ownersSeen();
  },
  'a statement whose response the client does not await': async () => {
    await scoped.pool.query(SLOW).catch((error: unknown) => {
      expect((error as Error).message).toContain('timeout');
      timedOut += 1;
    });
    return ownersSeen();
  },
  'a connection that the server ends': async () => {
    await expect(scoped.pool.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
    return [];
  },
  'a transaction that is not ended': async () => {
    const client = await scoped.pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<{ owner: string }>(VISIBLE);
    client.release();
    return rows;
  },
  'a failed transaction that is not ended': async () => {
    const client = await scoped.pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<{ owner: string }>(VISIBLE);
    await expect(client.query('SELECT 1 / 0')).rejects.toThrow();
    client.release();
    return rows;
  },
};

/** A generator of reproducible numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it(`never shows a foreign row in ${String(REQUESTS)} interleaved requests that fail, time out and lose connections (seed ${String(TEST_SEED)})`, async () => {
  const random = randomOf(TEST_SEED);
  const names = Object.keys(WORK);
  // Half of the requests only read: the others would spend all their time on failures.
  const kindOf = (): string => (random() < 0.5 ? 'a query' : names[Math.floor(random() * names.length)]!);
  const requests = Array.from({ length: REQUESTS }, () => ({
    customerId: random() < 0.1 ? undefined : customers[Math.floor(random() * customers.length)],
    kind: kindOf(),
    delayMs: random() < 0.3 ? random() * 4 : 0,
  }));
  const wrong: unknown[] = [];
  let [seen, next] = [0, 0];
  const serve = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const { customerId, kind, delayMs } = request;
      if (delayMs > 0) await wait(delayMs);
      const owners = await runForCaller(customerId, () => WORK[kind]!(customerId));
      seen += owners.length;
      if (owners.some(({ owner }) => owner !== customerId)) wrong.push({ kind, customerId, owners });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, serve));
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(REQUESTS / 2);
  expect(timedOut).toBeGreaterThan(0);
});

it('gives a connection that was waited for to the customer that waited, not to the one that returns it', async () => {
  const [first, second] = [customers[0]!, customers[1]!];
  const held = await runForCustomer(first, () =>
    Promise.all(Array.from({ length: scoped.pool.options.max }, () => scoped.pool.connect())),
  );
  const waiting = runForCustomer(second, ownersSeen);
  runForCustomer(first, () => held.forEach((client) => client.release()));
  await expect(waiting).resolves.toEqual([{ owner: second }]);
});

it('refuses work for a customer within work for another one', () => {
  const [first, second] = [customers[0]!, customers[1]!];
  expect(() => runForCustomer(first, () => runForCustomer(second, () => 1))).toThrow('another one');
  expect(runForCustomer(first, () => runForService('credentials', () => 1))).toBe(1);
});
