import { until } from '../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import {
  customerWithWallets,
  heldComputation,
  readNumber,
  readNumbers,
  startSnapshotProcess,
  WALLET,
} from '../../test/snapshots/snapshot-process';
import type { CustomerId } from '../auth/principal';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(() => void jest.useRealTimers());
afterAll(() => test.drop());

const OTHER = '0x2222222222222222222222222222222222222222';
/** All but those that end the wait of a request. */
const REAL_TIMERS = [
  ...(['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] as const),
  ...(['Date', 'performance', 'hrtime'] as const),
];

const pin = (customerId: CustomerId, token: string) =>
  test.database.pinnedToken.create({ data: { customerId, wallet: WALLET, chainId: 1n, token } });

describe('wallets that are read together', () => {
  it('have their own results: one that cannot be computed fails alone, and the others are stored', async () => {
    const customerId = await customerWithWallets(test, OTHER);
    const own = startSnapshotProcess(test);
    own.compute.mockRejectedValueOnce(new TypeError('broken'));
    expect(await readNumbers(own, customerId, WALLET, OTHER)).toEqual([new TypeError('broken'), [1, false]]);
    expect(await readNumbers(own, customerId, WALLET, OTHER)).toEqual([
      [1, false],
      [1, false],
    ]);
    expect(own.compute).toHaveBeenCalledTimes(3);
  });

  it('do not wait for each other: those that are ready are fresh, a slow one is the old one', async () => {
    const customerId = await customerWithWallets(test, OTHER);
    const own = startSnapshotProcess(test, { freshMs: 0, servedMs: 0, waitMs: 60_000, oldMs: 3_600_000 });
    await readNumbers(own, customerId, WALLET, OTHER);
    const end = heldComputation(own);
    // They go on by themselves: a request may poll for what another one computes.
    jest.useFakeTimers({ advanceTimers: true, doNotFake: [...REAL_TIMERS] });
    try {
      const both = readNumbers(own, customerId, WALLET, OTHER);
      await until('both are computed', () => own.compute.mock.calls.length === 4);
      await readNumber(own, customerId, OTHER); // not before the request has it as well
      jest.advanceTimersByTime(60_000);
      expect(await both).toEqual([
        [1, true],
        [2, false],
      ]);
    } finally {
      jest.useRealTimers();
    }
    end(7n);
    await readNumber(own, customerId);
  });

  it('are served when they cannot be stored', async () => {
    const customerId = await customerWithWallets(test);
    const own = startSnapshotProcess(test);
    const end = heldComputation(own);
    const served = readNumber(own, customerId);
    await until('it is computed', () => own.compute.mock.calls.length === 1);
    const query = jest.spyOn(test.pool, 'query');
    query.mockImplementationOnce(() => {
      throw new TypeError('timeout');
    });
    end(7n);
    expect(await served).toEqual([7, false]);
    query.mockRestore();
    expect(await readNumber(own, customerId)).toEqual([1, false]); // the claim was given up
  });
});

describe('a snapshot that another process computes', () => {
  it('is computed once more for a request that has seen a change since the other process began', async () => {
    const customerId = await customerWithWallets(test);
    const [one, other] = [startSnapshotProcess(test), startSnapshotProcess(test)];
    await readNumber(one, customerId);
    await pin(customerId, '0xa');
    const end = heldComputation(one);
    const before = readNumber(one, customerId);
    await until('it is computed', () => one.compute.mock.calls.length === 2);
    await pin(customerId, '0xb');
    const query = jest.spyOn(test.pool, 'query');
    const after = readNumber(other, customerId);
    await until('the other process waits', () => query.mock.calls.length >= 4);
    query.mockRestore();
    end(7n);
    expect((await before)[0]).toBe(7);
    expect(await after).toEqual([8, false]);
    expect(other.compute).toHaveBeenCalledTimes(1);
  });
});
