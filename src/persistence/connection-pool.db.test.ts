import type { EventEmitter } from 'node:events';
import { createTestDatabase, type TestDatabase, TIMEOUTS } from '../../test/setup/test-database';
import { openPool, type QueryTimeouts } from './connection-pool';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const open = (size = 1, timeouts?: QueryTimeouts) =>
  openPool({ url: test.url, size, name: 'pool test', log: { warn: () => undefined }, timeouts });
const pidOf = async (pool: ReturnType<typeof open>) =>
  (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

/** Runs a statement and returns its connection without an error, as the database client does. */
async function runAndRelease(pool: ReturnType<typeof open>, statement: { text: string; query_timeout?: number }) {
  const client = await pool.connect();
  try {
    return await client.query(statement);
  } finally {
    client.release();
  }
}

describe('openPool', () => {
  it('limits statements, waits for locks and idle transactions on every connection', async () => {
    const pool = open(2);
    const settings = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
      current_setting('idle_in_transaction_session_timeout') AS idle, pg_sleep(0.05)`;
    const results = await Promise.all([pool.query(settings), pool.query(settings)]);
    for (const { rows } of results) expect(rows).toMatchObject([{ statement: '5s', lock: '2s', idle: '15s' }]);
    await pool.end();
  });

  it('replaces a connection whose query goes on after its time limit', async () => {
    const pool = open(1, TIMEOUTS);
    const busy = await pidOf(pool);
    const slow = { text: 'SELECT pg_sleep(60)', query_timeout: 50 };
    await expect(runAndRelease(pool, slow)).rejects.toThrow('Query read timeout');
    expect(await pidOf(pool)).not.toBe(busy);
    await pool.end();
  });

  it('keeps its connection through commits, rollbacks and failed statements of the client', async () => {
    const pool = open();
    const first = await pidOf(pool);
    for (const text of ['BEGIN; SELECT 1; COMMIT', 'BEGIN; SELECT 1; ROLLBACK']) await runAndRelease(pool, { text });
    await expect(runAndRelease(pool, { text: 'SELECT 1 / 0' })).rejects.toThrow('division by zero');
    expect(await pidOf(pool)).toBe(first);
    await pool.end();
  });

  it('keeps its connection when the server is ready a moment after it has reported a failure', async () => {
    const pool = open();
    const client = await pool.connect();
    const pid = 'SELECT pg_backend_pid() AS pid';
    const { rows } = await client.query<{ pid: number }>(pid);
    const { connection } = client as unknown as { connection: EventEmitter };
    const emit = connection.emit.bind(connection) as (event: string, message?: unknown) => boolean;
    const ready = new Promise((resolve) => {
      connection.emit = (event: string, message?: unknown) => {
        if (event !== 'readyForQuery') return emit(event, message);
        connection.emit = emit;
        setTimeout(() => resolve(emit(event, message)), 50);
        return true;
      };
    });
    await expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    client.release();
    await ready;
    expect((await pool.query<{ pid: number }>(pid)).rows).toEqual(rows);
    await pool.end();
  });

  it('replaces a connection to a server that has become read-only', async () => {
    const pool = open();
    const first = await pidOf(pool);
    const write = { text: 'BEGIN READ ONLY; CREATE TABLE refused ()' };
    await expect(runAndRelease(pool, write)).rejects.toMatchObject({ code: '25006' });
    expect(await pidOf(pool)).not.toBe(first);
    await pool.end();
  });
});
