import { EventEmitter } from 'node:events';
import type { CustomerId } from '../auth/principal';
import { currentScope, runForCustomer } from '../persistence/customer-scope';
import { DatabaseConnectionError } from '../persistence/database-outage';
import { uuidV7 } from '../persistence/uuid-v7';
import type { NewQuote } from './quote-store';
import { restorePrices } from './restore-prices';

const customerId = uuidV7() as CustomerId;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const quote = (name: string, lifetimeMs = 30_000, of = customerId) =>
  ({
    customerId: of,
    swap: { quoteId: name, deadline: new Date(Date.now() + lifetimeMs) },
  }) as unknown as NewQuote;

const namesOf = (quotes: readonly NewQuote[]) => quotes.map(({ swap }) => swap.quoteId).join();

/** A database whose outages the test decides, and what was stored in it. */
function world() {
  const pool = Object.assign(new EventEmitter(), { ending: false });
  const [stored, owners, log] = [[] as string[], [] as string[], { info: jest.fn(), warn: jest.fn() }];
  const state = { failure: undefined as Error | undefined };
  const save = restorePrices(
    (quotes) => {
      if (state.failure !== undefined) return Promise.reject(state.failure);
      const scope = currentScope();
      owners.push(scope.kind === 'customer' ? scope.customerId : scope.kind);
      stored.push(namesOf(quotes));
      return Promise.resolve();
    },
    { pool: pool as never, log },
  );
  const [client, other] = [new EventEmitter(), new EventEmitter()];
  pool.emit('connect', client);
  pool.emit('connect', other);
  const loseConnections = () => [client, other].forEach((each) => each.emit('error', new Error('terminated')));
  return { pool, stored, owners, log, state, save, loseConnections };
}

const outage = new DatabaseConnectionError('no database connection');

it('stores the quotes of the last two seconds again after a lost connection, once', async () => {
  const { stored, save, loseConnections } = world();
  await save([quote('old')]);
  await jest.advanceTimersByTimeAsync(2500);
  await save([quote('a'), quote('b')]);
  await jest.advanceTimersByTimeAsync(1500);
  await save([quote('c')]);
  stored.length = 0;
  loseConnections();
  await jest.advanceTimersByTimeAsync(1000);
  expect(stored).toEqual(['a,b', 'c']);
});

it('keeps the last quotes until it finds out that the database is lost, however long that takes', async () => {
  const { stored, state, save, loseConnections } = world();
  await save([quote('a')]);
  state.failure = outage;
  await expect(save([quote('refused')])).rejects.toBe(outage);
  await jest.advanceTimersByTimeAsync(8000);
  loseConnections();
  await jest.advanceTimersByTimeAsync(4000);
  expect(stored).toEqual(['a']);
  state.failure = undefined;
  await jest.advanceTimersByTimeAsync(200);
  expect(stored).toEqual(['a', 'a']);
});

it('stores them once more when the database is lost again meanwhile or shortly after', async () => {
  const { stored, state, save, loseConnections } = world();
  await save([quote('a')]);
  state.failure = outage;
  loseConnections();
  await jest.advanceTimersByTimeAsync(300);
  state.failure = undefined;
  loseConnections();
  await jest.advanceTimersByTimeAsync(400);
  const during = stored.length;
  loseConnections();
  await jest.advanceTimersByTimeAsync(400);
  expect([during, stored.length]).toEqual([3, 4]);
  expect(new Set(stored)).toEqual(new Set(['a']));
});

it('stores them as their customers, also when a request of another one noticed the loss', async () => {
  const { owners, save, loseConnections } = world();
  const another = uuidV7() as CustomerId;
  await runForCustomer(customerId, () => save([quote('a')]));
  await runForCustomer(another, () => save([quote('b', 30_000, another)]));
  await runForCustomer(uuidV7(), async () => {
    loseConnections();
    await jest.advanceTimersByTimeAsync(50);
  });
  expect(owners).toEqual([customerId, another, customerId, another]);
});

it('stores no expired quote, and nothing while the service stops', async () => {
  const { pool, stored, state, save, loseConnections } = world();
  await save([quote('short', 1000), quote('long', 10_000)]);
  state.failure = outage;
  loseConnections();
  await jest.advanceTimersByTimeAsync(3000);
  state.failure = undefined;
  await jest.advanceTimersByTimeAsync(300);
  expect(stored).toEqual(['short,long', 'long']);
  pool.ending = true;
  loseConnections();
  await jest.advanceTimersByTimeAsync(300);
  expect(stored).toHaveLength(2);
});

it('goes on with the others when the quotes of a customer are refused, and names no data', async () => {
  const { pool, log } = world();
  const stored: string[] = [];
  let fails = false;
  const save = restorePrices(
    (quotes) => {
      if (fails && namesOf(quotes) === 'a') return Promise.reject(new Error('refused'));
      stored.push(namesOf(quotes));
      return Promise.resolve();
    },
    { pool: pool as never, log },
  );
  await save([quote('a')]);
  await save([quote('b')]);
  fails = true;
  const client = new EventEmitter();
  pool.emit('connect', client);
  client.emit('error', new Error('terminated'));
  await jest.advanceTimersByTimeAsync(50);
  expect(stored).toEqual(['a', 'b', 'b']);
  expect(log.warn.mock.calls).toEqual([[{ reason: 'refused' }, 'quotes were not stored again']]);
});
