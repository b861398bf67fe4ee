import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { dropChecks, insertOf } from '../../test/setup/sample-rows';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { runForCaller, runForCustomer, runForService } from './customer-scope';
import { type OpenDatabase, openScopedDatabase } from './database';

const log = { warn: () => undefined };
/** SQLSTATE of a row that a policy refuses, and of a missing privilege. */
const REFUSED = { code: '42501' };

/** Tables without rows of customers: requests of all customers may read them. */
const EXEMPT: Readonly<Record<string, string>> = {
  _prisma_migrations: 'migrations; requests have no privilege',
  SecretFingerprint: 'secrets of the deployment; requests have no privilege',
  TokenMetadata: 'read from public contracts',
  BrokenToken: 'tokens whose contracts misbehave',
  PriceSample: 'public prices',
  StrategyState: 'public state of markets',
  StrategySample: 'public state of markets',
  DeploymentFees: 'fees of the deployment, which every customer is shown',
  ChainTracker: 'progress of the deployment on a chain',
  TrackedBlock: 'progress of the deployment on a chain',
  IndexCursor: 'progress of the deployment on a chain',
  IndexedBlock: 'public blocks',
  CounterDrift: 'sums over the deployment',
  Worker: 'processes of the deployment',
  RampCallback: 'ids of events; requests may not write it',
  rate_limit: 'counters that are written before a request has a customer, and hold nothing else',
};

/** Rows of these tables belong to all customers that watch the wallet: the column that names it, and the table of watches. */
const WATCHED: Readonly<Record<string, readonly [column: string, watches: 'WalletWatch' | 'SolanaWatch']>> = {
  WatchedWallet: ['id', 'WalletWatch'],
  WalletBackfill: ['walletId', 'WalletWatch'],
  LedgerEntry: ['walletId', 'WalletWatch'],
  SolanaWallet: ['id', 'SolanaWatch'],
  SolanaAccount: ['walletId', 'SolanaWatch'],
  SolanaSignature: ['walletId', 'SolanaWatch'],
  SolanaMovement: ['walletId', 'SolanaWatch'],
};
/** Wallets of the watches that are rows of the test: the first of the customer itself, the second of another one. */
const WALLETS = [1, 2] as const;

let test: TestDatabase;
let scoped: OpenDatabase;
let owner: Client;
beforeAll(async () => {
  test = await createTestDatabase();
  scoped = openScopedDatabase({ url: test.url, poolSize: 3, servicePoolSize: 2, log });
  owner = new Client({ connectionString: test.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await scoped.close();
  await test.drop();
});

const [own, foreign] = [newCustomer(), newCustomer()];
const countOf = async (table: string): Promise<number> =>
  (await scoped.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${table}"`)).rows[0]!.count;

interface TableState {
  readonly name: string;
  readonly isProtected: boolean;
  readonly policies: readonly string[];
}

async function tablesOf(client: Client): Promise<readonly TableState[]> {
  const { rows } = await client.query<TableState>(`
    SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS "isProtected",
           ARRAY(SELECT polname::text FROM pg_policy WHERE polrelid = place.oid ORDER BY 1) AS policies
      FROM pg_class AS place WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`);
  return rows;
}

it('each table has policies for customers and for the service, or a reason why it needs none', async () => {
  const tables = await tablesOf(owner);
  expect(tables.length).toBeGreaterThan(60);
  const open = tables.filter(({ name }) => name in EXEMPT);
  expect(open.map(({ name }) => name)).toEqual(Object.keys(EXEMPT).toSorted((a, b) => (a < b ? -1 : 1)));
  const unprotected = tables.filter(
    ({ name, isProtected, policies }) =>
      !(name in EXEMPT) && !(isProtected && ['customer', 'service'].every((policy) => policies.includes(policy))),
  );
  const advice = ({ name }: TableState): string =>
    `"${name}" shows requests the rows of all customers: its migration must run SELECT "protectTable"('"${name}"')`;
  expect(unprotected.map(advice)).toEqual([]);
});

it('requests see no view, which would show them the rows of its owner', async () => {
  const { rows } = await owner.query(`
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')
       AND has_table_privilege('afluente_app', oid, 'SELECT')`);
  expect(rows).toEqual([]);
  await owner.query('CREATE VIEW all_quotes AS SELECT * FROM "Quote"; CREATE TABLE "Unprotected" (id BIGINT)');
  for (const table of ['all_quotes', 'Unprotected'])
    await expect(runForCustomer(own, () => countOf(table))).rejects.toMatchObject({ code: '42501' });
  await owner.query('DROP VIEW all_quotes; DROP TABLE "Unprotected"');
});

it('no table with a column for the customer is without policies', async () => {
  const { rows } = await owner.query<{ name: string }>(`
    SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'customerId'`);
  expect(rows.map(({ name }) => name).filter((name) => name in EXEMPT)).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});

describe('with a row of each of two customers in each table', () => {
  let tables: readonly string[];
  beforeAll(async () => {
    await dropChecks(owner);
    tables = (await tablesOf(owner)).map(({ name }) => name).filter((name) => !(name in EXEMPT));
    for (const table of tables)
      for (const [index, customerId] of [own, foreign].entries())
        await owner.query(await insertFor(table, { customerId, wallet: WALLETS[index]!, number: index + 1 }));
  });
  afterAll(() => owner.query('RESET session_replication_role'));

  function insertFor(
    table: string,
    row: { readonly customerId: string; readonly wallet: number; readonly number: number },
  ): Promise<string> {
    const { customerId, wallet, number } = row;
    const watched = WATCHED[table];
    const isWatch = table === 'WalletWatch' || table === 'SolanaWatch';
    const owned = { [table === 'Customer' ? 'id' : 'customerId']: `'${customerId}'` };
    const shared = watched === undefined ? {} : { [watched[0]]: String(wallet) };
    const given = { ...(watched === undefined ? owned : shared), ...(isWatch ? { walletId: String(wallet) } : {}) };
    return insertOf(owner, table, { number, given });
  }

  const foreignRows = (table: string): string => {
    const watched = WATCHED[table];
    if (watched !== undefined) return `"${watched[0]}" = ${String(WALLETS[1])}`;
    return `"${table === 'Customer' ? 'id' : 'customerId'}" = '${foreign}'`;
  };

  it('a query without a condition sees the rows of its customer alone, and none without a customer', async () => {
    for (const table of tables) {
      const seen = {
        byCustomer: await runForCustomer(own, () => countOf(table)),
        byNone: await countOf(table),
        byService: await runForService('worker', () => countOf(table)),
      };
      expect([table, seen]).toEqual([table, { byCustomer: 1, byNone: 0, byService: 2 }]);
    }
  });

  it('no foreign row can be found by its owner, changed or deleted', async () => {
    for (const table of tables) {
      const where = foreignRows(table);
      const column = where.slice(0, where.indexOf(' ='));
      const counts = await runForCustomer(own, async () => {
        const { rows } = await scoped.pool.query(`SELECT 1 FROM "${table}" WHERE ${where}`);
        const changed = await scoped.pool.query(`UPDATE "${table}" SET ${column} = ${column} WHERE ${where}`);
        const deleted = await scoped.pool.query(`DELETE FROM "${table}" WHERE ${where}`);
        return [rows.length, changed.rowCount, deleted.rowCount];
      });
      expect([table, counts]).toEqual([table, [0, 0, 0]]);
    }
  });

  it('no row can be inserted for another customer, or given to it, or inserted without a customer', async () => {
    // A pool closes a connection whose statement fails: two are kept instead.
    const ofCustomer = await runForCustomer(own, () => scoped.pool.connect());
    const ofNone = await scoped.pool.connect();
    try {
      for (const table of tables) {
        const insert = await insertFor(table, { customerId: foreign, wallet: WALLETS[1], number: 3 });
        await expect(ofCustomer.query(insert)).rejects.toMatchObject(REFUSED);
        await expect(ofNone.query(insert)).rejects.toMatchObject(REFUSED);
        if (WATCHED[table] !== undefined) continue;
        const column = table === 'Customer' ? 'id' : '"customerId"';
        const give = `UPDATE "${table}" SET ${column} = '${randomUUID()}'`;
        await expect(ofCustomer.query(give)).rejects.toMatchObject(REFUSED);
      }
    } finally {
      for (const client of [ofCustomer, ofNone]) client.release();
    }
  });

  it('items of a chain in quarantine that concern no action are shown to all customers, and changed by none', async () => {
    await owner.query(
      `INSERT INTO "Quarantine" ("chainId", stage, item, error, "nextAt") VALUES (1, 'block', 'x', 'e', now())`,
    );
    await runForCustomer(own, async () => {
      await expect(countOf('Quarantine')).resolves.toBe(2);
      const { rowCount } = await scoped.pool.query(`DELETE FROM "Quarantine" WHERE "customerId" IS NULL`);
      expect(rowCount).toBe(0);
    });
  });
});

it('requests have no privilege on secrets, migrations and the progress of the deployment', async () => {
  for (const statement of [
    'SELECT 1 FROM "SecretFingerprint"',
    'SELECT 1 FROM "_prisma_migrations"',
    'DELETE FROM "IndexCursor"',
    'DELETE FROM "Worker"',
    'ALTER TABLE "Action" DISABLE ROW LEVEL SECURITY',
    'DROP POLICY customer ON "Action"',
  ])
    await expect(runForCustomer(own, () => scoped.pool.query(statement))).rejects.toMatchObject(REFUSED);
});

describe('queries of the service without the condition of their code', () => {
  let [ours, theirs]: readonly string[] = [];
  beforeAll(async () => {
    ours = await runForCustomer(own, () => sampleQuote(scoped.database, own));
    theirs = await runForCustomer(foreign, () => sampleQuote(scoped.database, foreign));
  });

  it('see, change and delete nothing foreign', async () => {
    await runForCustomer(own, async () => {
      const { quote } = scoped.database;
      const seen = await quote.findMany({ where: {}, select: { customerId: true } });
      expect(new Set(seen.map(({ customerId }) => customerId))).toEqual(new Set([own]));
      await expect(quote.findUnique({ where: { id: theirs! } })).resolves.toBeNull();
      const data = { webhookUrl: 'https://example.com' };
      await expect(quote.updateMany({ where: { id: theirs! }, data })).resolves.toEqual({ count: 0 });
      await expect(quote.updateMany({ where: {}, data })).resolves.toEqual({ count: seen.length });
      await expect(quote.deleteMany({ where: { customerId: foreign } })).resolves.toEqual({ count: 0 });
    });
    const theirRow = await test.database.quote.findUniqueOrThrow({ where: { id: theirs! } });
    expect(theirRow.webhookUrl).toBeNull();
  });

  it('see nothing foreign in a transaction, and go on after a refused write was rolled back', async () => {
    await runForCustomer(own, async () => {
      const write = scoped.database.$transaction(async (tx) => {
        await expect(tx.quote.count({ where: { customerId: foreign } })).resolves.toBe(0);
        await sampleQuote(tx as OpenDatabase['database'], foreign);
      });
      await expect(write).rejects.toThrow('row-level security');
      await expect(scoped.database.quote.findUnique({ where: { id: ours! } })).resolves.not.toBeNull();
    });
  });

  it('find rows by their key for each customer, also when those of several start in the same tick', async () => {
    const find = (customerId: string, id: string) =>
      runForCustomer(customerId, () =>
        scoped.database.quote.findUnique({ where: { id }, select: { customerId: true } }),
      );
    const found = await Promise.all([
      find(own, ours!),
      find(foreign, theirs!),
      find(own, theirs!),
      find(foreign, ours!),
      runForCaller(undefined, () => scoped.database.quote.findUnique({ where: { id: ours! } })),
      find(own, ours!),
    ]);
    expect(found.map((row) => row?.customerId)).toEqual([own, foreign, undefined, undefined, undefined, own]);
  });
});
