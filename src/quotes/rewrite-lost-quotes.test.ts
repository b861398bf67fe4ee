import { EventEmitter } from 'node:events';
import type { CustomerId } from '../auth/principal';
import { currentScope, runForCustomer } from '../persistence/customer-scope';
import { DatabaseConnectionError } from '../persistence/database-outage';
import { uuidV7 } from '../persistence/uuid-v7';
import type { PriceRow } from './quote-store';
import { readAlsoLost, withLostQuotesRewritten } from './rewrite-lost-quotes';

const customerId = uuidV7() as CustomerId;
const outage = new DatabaseConnectionError('no database connection');

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const row = (id: string, { lifetimeMs = 30_000, of = customerId } = {}) =>
  ({ id, customerId: of, deadline: new Date(Date.now() + lifetimeMs) }) as PriceRow;

/** A database whose outages the test decides, and the statements that were executed in it. */
function world() {
  const pool = Object.assign(new EventEmitter(), { ending: false });
  const [stored, owners, log] = [[] as string[], [] as string[], { info: jest.fn(), warn: jest.fn() }];
  const state = { failureOf: (() => undefined) as (ids: string) => Error | undefined };
  const { write, pendingRewrite } = withLostQuotesRewritten(
    (rows) => {
      const ids = rows.map(({ id }) => id).join();
      const failure = state.failureOf(ids);
      if (failure !== undefined) return Promise.reject(failure);
      const scope = currentScope();
      owners.push(scope.kind === 'customer' ? scope.customerId : scope.kind);
      stored.push(ids);
      return Promise.resolve();
    },
    { pool: pool as never, log },
  );
  const clients = [new EventEmitter(), new EventEmitter()];
  for (const client of [...clients, ...clients]) pool.emit('acquire', client);
  const loseConnections = () => clients.forEach((each) => each.emit('error', new Error('terminated')));
  return { pool, stored, owners, log, state, write, pendingRewrite, loseConnections };
}

it('stores the quotes of the last two seconds again after a lost connection, once', async () => {
  const { stored, write, loseConnections } = world();
  await write([row('old')]);
  await jest.advanceTimersByTimeAsync(2500);
  await write([row('a'), row('b')]);
  await jest.advanceTimersByTimeAsync(1500);
  await write([row('c')]);
  stored.length = 0;
  loseConnections();
  await jest.advanceTimersByTimeAsync(1000);
  expect(stored).toEqual(['a,b,c']);
});

it('stores them again when a statement fails because of an outage, before the next one that succeeds displaces them', async () => {
  const { stored, state, write } = world();
  await write([row('a')]);
  await jest.advanceTimersByTimeAsync(20_000);
  state.failureOf = () => outage;
  await expect(write([row('refused')])).rejects.toBe(outage);
  await jest.advanceTimersByTimeAsync(4000);
  expect(stored).toEqual(['a']);
  state.failureOf = () => undefined;
  await write([row('b')]);
  await jest.advanceTimersByTimeAsync(200);
  expect(stored).toEqual(['a', 'b', 'a']);
});

it('does not take a statement that waited too long for a lost database', async () => {
  const { stored, state, write } = world();
  await write([row('a')]);
  const slow = Object.assign(new Error('canceling statement due to statement timeout'), {
    code: '57014',
    severity: 'ERROR',
  });
  state.failureOf = () => slow;
  await expect(write([row('refused')])).rejects.toBe(slow);
  state.failureOf = () => undefined;
  await jest.advanceTimersByTimeAsync(1000);
  expect(stored).toEqual(['a']);
});

it('stores them once more when the database is lost again meanwhile or shortly after', async () => {
  const { stored, state, write, loseConnections } = world();
  await write([row('a')]);
  state.failureOf = () => outage;
  loseConnections();
  await jest.advanceTimersByTimeAsync(300);
  state.failureOf = () => undefined;
  loseConnections();
  await jest.advanceTimersByTimeAsync(400);
  const during = stored.length;
  loseConnections();
  await jest.advanceTimersByTimeAsync(400);
  expect([during, stored.length]).toEqual([3, 4]);
  expect(new Set(stored)).toEqual(new Set(['a']));
});

it('stores them as their customers, also when a request of another one noticed the loss', async () => {
  const { owners, write, loseConnections } = world();
  const another = uuidV7() as CustomerId;
  await runForCustomer(customerId, () => write([row('a')]));
  await runForCustomer(another, () => write([row('b', { of: another })]));
  await runForCustomer(uuidV7(), async () => {
    loseConnections();
    await jest.advanceTimersByTimeAsync(50);
  });
  expect(owners).toEqual([customerId, another, customerId, another]);
});

it('stores no expired quote, and nothing while the service stops', async () => {
  const { pool, stored, state, write, loseConnections } = world();
  await write([row('short', { lifetimeMs: 1000 }), row('long', { lifetimeMs: 10_000 })]);
  state.failureOf = () => outage;
  loseConnections();
  await jest.advanceTimersByTimeAsync(3000);
  state.failureOf = () => undefined;
  await jest.advanceTimersByTimeAsync(300);
  expect(stored).toEqual(['short,long', 'long']);
  pool.ending = true;
  loseConnections();
  await jest.advanceTimersByTimeAsync(300);
  expect(stored).toHaveLength(2);
});

it('goes on with the others when the quotes of a customer are refused, and names no data', async () => {
  const { stored, state, log, write, loseConnections } = world();
  await write([row('a')]);
  await write([row('b', { of: uuidV7() as CustomerId })]);
  state.failureOf = (ids) => (ids === 'a' ? new Error('refused') : undefined);
  loseConnections();
  await jest.advanceTimersByTimeAsync(50);
  expect(stored).toEqual(['a', 'b', 'b']);
  expect(log.warn.mock.calls).toEqual([[{ reason: 'refused' }, 'quotes were not stored again']]);
});

it('says that lost quotes are not stored yet, until they are', async () => {
  const { stored, state, write, pendingRewrite, loseConnections } = world();
  await write([row('a')]);
  expect(pendingRewrite()).toBeUndefined();
  state.failureOf = () => outage;
  loseConnections();
  await jest.advanceTimersByTimeAsync(1000);
  let isStored = false;
  void pendingRewrite()?.then(() => (isStored = stored.join() === 'a,a'));
  await jest.advanceTimersByTimeAsync(1000);
  expect(isStored).toBe(false);
  state.failureOf = () => undefined;
  await jest.advanceTimersByTimeAsync(100);
  expect(isStored).toBe(true);
  expect(pendingRewrite()).toBeUndefined();
});

describe('a quote that is read', () => {
  const found = ['quote'];
  /** The rows of each read in turn. */
  const reads = (...results: readonly string[][]) => {
    const read = jest.fn();
    for (const rows of results) read.mockResolvedValueOnce(rows);
    return read;
  };

  it('is read once while none are lost, whether it exists or not', async () => {
    for (const rows of [found, []]) {
      const read = reads(rows);
      expect(await readAlsoLost(read, () => undefined)).toEqual(rows);
      expect(await readAlsoLost(reads(rows))).toEqual(rows);
      expect(read).toHaveBeenCalledTimes(1);
    }
  });

  it('is read again when it was stored again between the read and its result', async () => {
    const pending = [Promise.resolve(), undefined];
    expect(await readAlsoLost(reads([], found), () => pending.shift())).toEqual(found);
  });

  it('is read again when its loss was noticed during the read', async () => {
    const pending = [undefined, Promise.resolve()];
    expect(await readAlsoLost(reads([], found), () => pending.shift())).toEqual(found);
  });

  it('is waited for two seconds at most', async () => {
    const read = reads([], []);
    const rows = readAlsoLost(read, () => new Promise<void>(() => undefined));
    await jest.advanceTimersByTimeAsync(1900);
    expect(read).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(200);
    expect(await rows).toEqual([]);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
