import { renewingLease } from './chain-lease';

const LEASE_SECONDS = 30;
const RENEWAL_MS = 10_000;

/** A database whose statements end when the test says so. */
function heldDatabase() {
  const ends: (() => void)[] = [];
  const $executeRaw = (): Promise<number> => new Promise((resolve) => ends.push(() => resolve(1)));
  return { database: { $executeRaw } as never, ends };
}

/** A pass under a lease that ends when the test says so. */
function startPass(database: never) {
  let endWork = (): void => undefined;
  const work = new Promise<void>((resolve) => (endWork = resolve));
  const pass = { isOver: false, endWork };
  const deps = { database, replicaId: 'replica', leaseSeconds: LEASE_SECONDS };
  void renewingLease(deps, 1, () => work).then(() => (pass.isOver = true));
  return pass;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a pass ends after the renewal of its lease that is in progress', async () => {
  const { database, ends } = heldDatabase();
  const pass = startPass(database);
  await jest.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(ends).toHaveLength(1);
  pass.endWork();
  await jest.advanceTimersByTimeAsync(RENEWAL_MS / 2 - 1);
  expect(pass.isOver).toBe(false);
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(0);
  expect(pass.isOver).toBe(true);
  await jest.advanceTimersByTimeAsync(10 * RENEWAL_MS);
  expect(ends).toHaveLength(1);
});

test('a renewal without a response of the database is given up in time for the next one', async () => {
  const { database, ends } = heldDatabase();
  const pass = startPass(database);
  await jest.advanceTimersByTimeAsync(2 * RENEWAL_MS);
  expect(ends).toHaveLength(2); // before the lease of three times as long has ended
  pass.endWork();
  await jest.advanceTimersByTimeAsync(RENEWAL_MS + 1);
  expect(pass.isOver).toBe(true);
});
