import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { serviceError } from '../errors/service-error';
import { openDatabase } from './database';
import { databaseOutage, reportedError } from './database-outage';

const log = { warn: () => undefined };
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, details: { retryAfter: 1 } };
const killOwn = `SELECT pg_terminate_backend(pg_backend_pid())`;

describe('databaseOutage', () => {
  it('recognises a server that refuses connections, in every kind of query', async () => {
    const { database, pool, close } = openDatabase({ url: 'postgresql://a:b@127.0.0.1:1/none', poolSize: 1, log });
    const queries = [
      () => database.customer.count(),
      () => database.$transaction((tx) => tx.customer.count()),
      () => database.$queryRaw`SELECT 1`,
      () => pool.query('SELECT 1'),
      () => pool.connect(),
    ];
    for (const query of queries) expect(databaseOutage(await failureOf(query()))).toMatchObject(unavailable);
    await close();
  });

  it('recognises a connection that ends during a query or a transaction', async () => {
    const queries = [
      () => test.database.$queryRawUnsafe(killOwn),
      () => test.database.$transaction((tx) => tx.$queryRawUnsafe(killOwn)),
      () => test.pool.query(killOwn),
    ];
    for (const query of queries) expect(databaseOutage(await failureOf(query()))).toMatchObject(unavailable);
  });

  it('recognises statements and lock waits that exceed their time limits', async () => {
    const sleep = async () => {
      await test.database.$transaction([
        test.database.$executeRaw`SET LOCAL statement_timeout = 20`,
        test.database.$queryRaw`SELECT pg_sleep(1)::text`,
      ]);
    };
    expect(databaseOutage(await failureOf(sleep()))).toMatchObject(unavailable);
    const holder = await test.pool.connect();
    await holder.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    const wait = async () => {
      await test.database.$transaction([
        test.database.$executeRaw`SET LOCAL lock_timeout = 20`,
        test.database.$queryRaw`SELECT pg_advisory_xact_lock(1)::text`,
      ]);
    };
    expect(databaseOutage(await failureOf(wait()))).toMatchObject(unavailable);
    await holder.query('ROLLBACK');
    holder.release();
  });

  it('recognises a transaction that gets no connection in time, and leaves no connection occupied', async () => {
    const { database, pool, close } = openDatabase({ url: test.url, poolSize: 1, log });
    const busy = await pool.connect();
    const refused = failureOf(database.$transaction((tx) => tx.customer.count(), { maxWait: 50 }));
    expect(databaseOutage(await refused)).toMatchObject(unavailable);
    busy.release();
    await expect(database.$transaction((tx) => tx.customer.count())).resolves.toEqual(expect.any(Number));
    await close();
  });

  it('recognises an outage below an error that has a code of its own', async () => {
    const cause = await failureOf(test.pool.query(killOwn));
    const wrapped = serviceError('PROVIDER_UNAVAILABLE', { provider: 'any', reason: 'unknown' }, { cause });
    expect(reportedError(wrapped)).toMatchObject(unavailable);
  });

  it('is undefined for refused statements, missing rows and failures of other services', async () => {
    const id = '0197a3c0-0000-7000-8000-000000000001';
    const errors = [
      await failureOf(test.pool.query('SELECT 1 / 0')),
      await failureOf(test.database.customer.findUniqueOrThrow({ where: { id } })),
      await failureOf(test.database.$queryRaw`SELECT missing FROM "Customer"`),
      await failureOf(fetch('http://127.0.0.1:1/')),
      new TypeError('a bug'),
      'not an error',
      undefined,
    ];
    for (const error of errors) expect(databaseOutage(error)).toBeUndefined();
    expect(reportedError(errors[0])).toBeUndefined();
  });
});
