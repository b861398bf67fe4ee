import type { PoolClient, QueryConfig } from 'pg';
import { newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { runForCaller, runForCustomer } from './customer-scope';
import { type OpenDatabase, openScopedDatabase } from './database';

const [own, other] = [newCustomer(), newCustomer()];
const OWNERS = 'SELECT DISTINCT "customerId"::text AS owner FROM "Quote"';
const SETTING = `SELECT nullif(current_setting('app.customer', true), '') AS customer`;

let test: TestDatabase;
let scoped: OpenDatabase;
/** Responses of the server that it is ready for the next message: one for each round trip. */
let roundTrips = 0;
beforeAll(async () => {
  test = await createTestDatabase();
  // One connection: each test finds what the former one has left on it.
  scoped = openScopedDatabase({ url: test.url, poolSize: 1, servicePoolSize: 1, log: { warn: () => undefined } });
  scoped.pool.on('connect', (client) => {
    const { connection } = client as unknown as { readonly connection: NodeJS.EventEmitter };
    connection.on('readyForQuery', () => void (roundTrips += 1));
  });
  for (const customerId of [own, other]) await sampleQuote(test.database, customerId);
});
afterAll(async () => {
  await scoped.close();
  await test.drop();
});

/** What `work` returns, and how many round trips it took. */
async function counted<Result>(customerId: string, work: () => Promise<Result>): Promise<[Result, number]> {
  roundTrips = 0;
  return [await runForCustomer(customerId, work), roundTrips];
}

async function withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await scoped.pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

const rowsOf = async (statement: string | QueryConfig): Promise<unknown> => (await scoped.pool.query(statement)).rows;

const STATEMENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'without values': () => rowsOf(OWNERS),
  'with values': async () => (await scoped.pool.query(`${OWNERS} WHERE $1`, [true])).rows,
  'that is prepared under a name': () => rowsOf({ name: 'owners', text: OWNERS }),
  'with a callback': () =>
    new Promise((resolve) => {
      scoped.pool.query(OWNERS, (_error, { rows }) => resolve(rows));
    }),
  'whose rows are arrays': async () => {
    const { rows } = await scoped.pool.query<[string]>({ text: OWNERS, rowMode: 'array' });
    return rows.map(([owner]) => ({ owner }));
  },
};

it.each(Object.keys(STATEMENTS))('runs a statement %s for its customer in one round trip', async (name) => {
  const read = STATEMENTS[name]!;
  await counted(own, read); // opens the connection
  for (const customerId of [other, own, own, other])
    await expect(counted(customerId, read)).resolves.toEqual([[{ owner: customerId }], 1]);
});

it('runs a look-up of the client for its customer in one round trip', async () => {
  const find = () => scoped.database.quote.findMany({ select: { customerId: true } });
  for (const customerId of [own, other, own])
    await expect(counted(customerId, find)).resolves.toEqual([[{ customerId }], 1]);
});

it('runs a transaction for its customer without a round trip of its own, at any level of isolation', async () => {
  const isolationLevel = 'Serializable' as const;
  const read = (options?: { readonly isolationLevel: typeof isolationLevel }) =>
    scoped.database.$transaction(async (tx) => {
      const before = await tx.quote.findMany({ select: { customerId: true } });
      return [before, await tx.$queryRawUnsafe(SETTING), await tx.$queryRawUnsafe('SHOW transaction_isolation')];
    }, options);
  const expected = (customerId: string, level: string) => [
    [{ customerId }],
    [{ customer: customerId }],
    [{ transaction_isolation: level }],
  ];
  // Begin, three statements, commit; and the level.
  await expect(counted(own, () => read())).resolves.toEqual([expected(own, 'read committed'), 5]);
  await expect(counted(other, () => read({ isolationLevel }))).resolves.toEqual([expected(other, 'serializable'), 6]);
});

it('keeps the customer of a transaction after a rollback to a savepoint', async () => {
  const seen = await runForCustomer(own, () =>
    withClient(async (client) => {
      await client.query('BEGIN');
      await client.query('SAVEPOINT first');
      await client.query('SELECT 1 / 0').catch(() => undefined);
      await client.query('ROLLBACK TO SAVEPOINT first');
      const { rows } = await client.query(OWNERS);
      await client.query('COMMIT');
      return [rows, (await client.query(OWNERS)).rows];
    }),
  );
  expect(seen).toEqual([[{ owner: own }], [{ owner: own }]]);
});

it('returns the results of several statements in one text as without it', async () => {
  const results = (await runForCustomer(own, () =>
    scoped.pool.query('SELECT 1 AS one; SELECT 2 AS two, 3 AS three'),
  )) as unknown as readonly { readonly rows: unknown; readonly command: string }[];
  expect(results.map(({ rows, command }) => ({ rows, command }))).toEqual([
    { rows: [{ one: 1 }], command: 'SELECT' },
    { rows: [{ two: 2, three: 3 }], command: 'SELECT' },
  ]);
});

it('returns the number of changed rows, of no rows, and the error of a statement as without it', async () => {
  await runForCustomer(own, async () => {
    const update = await scoped.pool.query('UPDATE "Quote" SET "webhookUrl" = $1', ['https://example.com']);
    expect([update.command, update.rowCount, update.rows]).toEqual(['UPDATE', 1, []]);
    expect((await scoped.pool.query('SELECT 1 WHERE false')).rows).toEqual([]);
    await expect(scoped.pool.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(scoped.pool.query('SELEC 1')).rejects.toMatchObject({ code: '42601', position: expect.any(String) });
  });
});

const ENDS: Readonly<Record<string, (client: PoolClient) => Promise<unknown>>> = {
  'a statement': (client) => client.query(OWNERS),
  'a statement with values': (client) => client.query(`${OWNERS} WHERE $1`, [true]),
  'a statement that fails': (client) => client.query('SELECT 1 / 0').catch(() => undefined),
  'a prepared statement that fails': (client) => client.query('SELECT 1 / $1::int', [0]).catch(() => undefined),
  'a transaction': async (client) => {
    await client.query('BEGIN');
    await client.query(OWNERS);
    await client.query('COMMIT');
  },
  'a transaction that is rolled back': async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 / 0').catch(() => undefined);
    await client.query('ROLLBACK');
  },
};

it.each(Object.keys(ENDS))('leaves no customer on the connection after %s', async (name) => {
  const pidOf = async (client: PoolClient) =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const served = await runForCustomer(own, () =>
    withClient(async (client) => {
      await ENDS[name]!(client);
      return pidOf(client);
    }),
  );
  const left = await runForCaller(undefined, () =>
    withClient(async (client) => ({
      pid: await pidOf(client),
      setting: (await client.query(SETTING)).rows,
      role: (await client.query('SELECT current_user AS role')).rows,
      owners: (await client.query(OWNERS)).rows,
    })),
  );
  expect(left).toEqual({ pid: served, setting: [{ customer: null }], role: [{ role: 'afluente_app' }], owners: [] });
});

it('does not run a statement whose customer cannot be set', async () => {
  const failing = runForCustomer(own, () =>
    withClient(async (client) => {
      await client.query('DEALLOCATE set_customer');
      await client.query('UPDATE "Quote" SET "webhookUrl" = $1', ['https://example.org']);
    }),
  );
  await expect(failing).rejects.toThrow('set_customer');
  await expect(test.database.quote.count({ where: { webhookUrl: 'https://example.org' } })).resolves.toBe(0);
});
