import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { retryingPool } from './retrying-pool';

const log = { error: () => undefined, warn: jest.fn(), debug: () => undefined, trace: () => undefined };
beforeEach(() => {
  jest.useFakeTimers();
  log.warn.mockClear();
});
afterEach(() => jest.useRealTimers());

function poolThatFails(times: number): Pool & { readonly query: jest.Mock } {
  const query = jest.fn(() => {
    if (query.mock.calls.length <= times) return Promise.reject(new Error('the database is away'));
    return Promise.resolve({ rows: [{ one: 1 }] });
  });
  return Object.assign(new EventEmitter(), { query }) as never;
}

test('a query waits until the database is back, and its failure is logged once', async () => {
  const pool = poolThatFails(3);
  const result = retryingPool(pool, { signal: new AbortController().signal, log }).query('SELECT 1 AS one');
  await jest.advanceTimersByTimeAsync(3000);
  await expect(result).resolves.toEqual({ rows: [{ one: 1 }] });
  expect(pool.query).toHaveBeenCalledTimes(4);
  expect(log.warn).toHaveBeenCalledTimes(1);
});

test('a query that waits when the jobs stop ends without an error and without rows', async () => {
  const stopping = new AbortController();
  const result = retryingPool(poolThatFails(Infinity), { signal: stopping.signal, log }).query('SELECT 1');
  await jest.advanceTimersByTimeAsync(10_000);
  stopping.abort();
  await expect(result).resolves.toMatchObject({ rows: [] });
});

test('everything else is that of the pool', () => {
  const pool = poolThatFails(0);
  const onError = jest.fn();
  const retrying = retryingPool(pool, { signal: new AbortController().signal, log });
  retrying.on('error', onError);
  pool.emit('error', new Error('lost'), undefined);
  expect(onError).toHaveBeenCalledTimes(1);
});
