import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { untilBlocked } from '../../test/setup/until-blocked';
import { customerWithWallets, readNumber, startSnapshotProcess, WALLET } from '../../test/snapshots/snapshot-process';
import type { CustomerId } from '../auth/principal';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Each request computes the section. */
const ALWAYS = { freshMs: 0, servedMs: 0, waitMs: 60_000 };

/** A process whose computations find the number. */
function processThatFinds(number: bigint) {
  const own = startSnapshotProcess(test, ALWAYS);
  own.compute.mockImplementation(() => Promise.resolve({ number }));
  return own;
}

const storedOf = (customerId: CustomerId) =>
  test.database.walletSnapshot.findFirstOrThrow({ where: { customerId }, select: { version: true, computedAt: true } });

/** What the database received as bodies. */
function writtenBodies() {
  const query = jest.spyOn(test.pool, 'query');
  return () => {
    const sent = query.mock.calls.flatMap(([, values]) => (Array.isArray(values) ? values : []) as readonly unknown[]);
    query.mockRestore();
    return sent.filter((value) => typeof value === 'string' && value.includes('number'));
  };
}

describe('a section that is computed again without a change', () => {
  it('keeps its version, and only its time is written', async () => {
    const customerId = await customerWithWallets(test);
    const own = processThatFinds(7n);
    await readNumber(own, customerId);
    const first = await storedOf(customerId);
    const written = writtenBodies();
    expect(await readNumber(own, customerId)).toEqual([7, false]);
    expect(written()).toEqual([]);
    const second = await storedOf(customerId);
    expect(second.version).toBe(first.version);
    expect(second.computedAt!.getTime()).toBeGreaterThan(first.computedAt!.getTime());
    expect(own.compute).toHaveBeenCalledTimes(2);
  });

  it('is served with the time of the last computation, by other processes as well', async () => {
    const customerId = await customerWithWallets(test);
    const [own, other] = [processThatFinds(7n), startSnapshotProcess(test)];
    await readNumber(own, customerId);
    await readNumber(other, customerId);
    await readNumber(own, customerId);
    const { signal } = new AbortController();
    const [served] = await other.read({ customerId, wallets: [WALLET], signal });
    expect(served).toMatchObject({ value: { number: 7n }, computedAt: (await storedOf(customerId)).computedAt });
    expect(other.compute).not.toHaveBeenCalled();
  });

  it('that another process has stored keeps its version', async () => {
    const customerId = await customerWithWallets(test);
    await readNumber(processThatFinds(7n), customerId);
    const { version } = await storedOf(customerId);
    await readNumber(processThatFinds(7n), customerId);
    expect((await storedOf(customerId)).version).toBe(version);
  });

  it('has a new version when it changes, and when only its basis does', async () => {
    const customerId = await customerWithWallets(test);
    const own = processThatFinds(7n);
    await readNumber(own, customerId);
    const { version } = await storedOf(customerId);
    own.compute.mockResolvedValueOnce({ number: 8n });
    expect(await readNumber(own, customerId)).toEqual([8, false]);
    expect((await storedOf(customerId)).version).toBe(version + 1n);
    await readNumber(own, customerId);
    expect((await storedOf(customerId)).version).toBe(version + 2n);
    await test.database.pinnedToken.create({ data: { customerId, wallet: WALLET, chainId: 1n, token: '0xa' } });
    await readNumber(own, customerId);
    expect((await storedOf(customerId)).version).toBe(version + 3n);
  });

  it('ends the wait of a process that has requested it meanwhile', async () => {
    const customerId = await customerWithWallets(test);
    const [own, other] = [processThatFinds(7n), processThatFinds(7n)];
    await readNumber(own, customerId);
    const both = await Promise.all([readNumber(own, customerId), readNumber(other, customerId)]);
    expect(both).toEqual([
      [7, false],
      [7, false],
    ]);
    expect(own.compute.mock.calls.length + other.compute.mock.calls.length).toBeLessThanOrEqual(3);
  });
});

describe('the snapshot of a wallet that is removed', () => {
  it('is never served once the wallet is registered again', async () => {
    const customerId = await customerWithWallets(test);
    const [old, other] = [startSnapshotProcess(test), startSnapshotProcess(test)];
    for (let count = 0; count < 3; count += 1) await readNumber(old, customerId);
    await test.database.customerWallet.deleteMany({ where: { customerId } });
    await test.database.customerWallet.create({ data: { customerId, address: WALLET } });
    other.compute.mockResolvedValue({ number: 77n });
    expect(await readNumber(other, customerId)).toEqual([77, false]);
    expect(await readNumber(old, customerId)).toEqual([77, false]);
  });

  it('is computed, but not stored, while its wallet is being removed', async () => {
    const customerId = await customerWithWallets(test);
    const own = startSnapshotProcess(test);
    const client = await test.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('DELETE FROM "CustomerWallet" WHERE "customerId" = $1', [customerId]);
      const reading = readNumber(own, customerId);
      await untilBlocked(test);
      await client.query('COMMIT');
      expect(await reading).toEqual([1, false]);
    } finally {
      client.release();
    }
    expect(await test.database.walletSnapshot.count({ where: { customerId } })).toBe(0);
  });
});
