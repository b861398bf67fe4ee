import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { openDatabase } from './database';
import { uuidV7 } from './uuid-v7';

const LARGEST_AMOUNT = 2n ** 256n - 1n;
const LARGEST_COLUMN = 10n ** 78n - 1n;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const quote = (amount: bigint) => ({
  id: uuidV7(),
  customerId: uuidV7(),
  provider: 'any',
  chainIdIn: 1n,
  chainIdOut: 7_565_164n,
  tokenIn: '0x',
  tokenOut: '0x',
  request: {},
  view: {},
  execution: {},
  deadline: new Date(),
  amountIn: amount.toString(),
  maxAmountIn: amount.toString(),
  expectedAmountOut: amount.toString(),
  minAmountOut: amount.toString(),
});

describe('openDatabase', () => {
  it.each([0n, 1n, 10n ** 21n + 1n, LARGEST_AMOUNT, LARGEST_COLUMN])('keeps every digit of %s', async (amount) => {
    const { id } = await test.database.quote.create({ data: quote(amount) });
    const { amountIn } = await test.database.quote.findUniqueOrThrow({ where: { id } });
    expect(BigInt(amountIn.toFixed(0))).toBe(amount);
    await expect(test.database.$queryRaw`SELECT "amountIn"::text FROM "Quote" WHERE id = ${id}::uuid`).resolves.toEqual(
      [{ amountIn: amount.toString() }],
    );
  });

  it('rejects an amount that exceeds the column', async () => {
    await expect(test.database.quote.create({ data: quote(LARGEST_COLUMN + 1n) })).rejects.toThrow();
  });

  it('rolls back every statement of a transaction that throws', async () => {
    const given = quote(1n);
    const refused = test.database.$transaction(async (tx) => {
      await tx.quote.create({ data: given });
      throw new Error('changed my mind');
    });
    await expect(refused).rejects.toThrow('changed my mind');
    await expect(test.database.quote.findUnique({ where: { id: given.id } })).resolves.toBeNull();
  });

  it('survives the loss of its idle connections and logs it', async () => {
    const warnings: unknown[] = [];
    const log = { warn: (...args: unknown[]) => void warnings.push(args) };
    const { database, close } = openDatabase({ url: test.url, poolSize: 2, log });
    await database.$queryRaw`SELECT 1`;
    const killer = new Client({ connectionString: test.url, application_name: 'killer' });
    await killer.connect();
    await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = 'afluente' AND datname = current_database()`);
    await killer.end();
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(database.$queryRaw`SELECT 1 AS one`).resolves.toEqual([{ one: 1 }]);
    await close();
  });

  it('opens at most the configured number of connections', async () => {
    const { database, pool, close } = openDatabase({ url: test.url, poolSize: 3, log: console });
    await Promise.all(Array.from({ length: 20 }, () => database.$queryRaw`SELECT pg_sleep(0.01)::text`));
    expect(pool.totalCount).toBe(3);
    await close();
  });
});
