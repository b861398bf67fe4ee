import { setTimeout as wait } from 'node:timers/promises';
import { newCustomer, createSampleAction } from '../../test/actions/sample-action';
import { until } from '../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import {
  customerWithWallets,
  heldComputation,
  LONG,
  readNumber,
  startSnapshotProcess,
  WALLET,
} from '../../test/snapshots/snapshot-process';
import type { CustomerId } from '../auth/principal';
import type { SnapshotTimes } from './snapshot-times';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const startProcess = (times?: SnapshotTimes, format?: number) => startSnapshotProcess(test, times, format);
const registered = () => customerWithWallets(test);

async function makeOlder(customerId: CustomerId, hours: number): Promise<void> {
  const where = { customerId };
  const { computedAt } = await test.database.walletSnapshot.findFirstOrThrow({ where });
  const earlier = new Date(computedAt!.getTime() - hours * 3_600_000);
  await test.database.walletSnapshot.updateMany({ where, data: { computedAt: earlier } });
}

async function pin(customerId: CustomerId, token: string): Promise<void> {
  await test.database.pinnedToken.create({ data: { customerId, wallet: WALLET, chainId: 1n, token } });
}

describe('the snapshot of a wallet', () => {
  it('is computed once and served by all processes, also after a restart', async () => {
    const customerId = await registered();
    const [one, other] = [startProcess(), startProcess()];
    expect(await readNumber(one, customerId)).toEqual([1, false]);
    expect(await readNumber(one, customerId)).toEqual([1, false]);
    expect(await readNumber(other, customerId)).toEqual([1, false]);
    expect([one.compute.mock.calls.length, other.compute.mock.calls.length]).toEqual([1, 0]);
  });

  it('is computed once for concurrent first requests at several processes', async () => {
    const customerId = await registered();
    const processes = Array.from({ length: 5 }, () => startProcess());
    for (const { compute } of processes) {
      compute.mockImplementation(async () => {
        await wait(100);
        return { number: 1n };
      });
    }
    const all = processes.flatMap((each) => [readNumber(each, customerId), readNumber(each, customerId)]);
    expect(new Set((await Promise.all(all)).map(String))).toEqual(new Set(['1,false']));
    expect(processes.reduce((sum, { compute }) => sum + compute.mock.calls.length, 0)).toBe(1);
  });

  it('takes one statement when it is fresh and in memory', async () => {
    const customerId = await registered();
    const query = jest.spyOn(test.pool, 'query');
    const own = startProcess();
    await readNumber(own, customerId);
    query.mockClear();
    await readNumber(own, customerId);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('is computed again after a change of an action, a pin and an unpin', async () => {
    const customerId = await registered();
    const own = startProcess();
    const sides = { originAddress: WALLET, receiverAddress: WALLET };
    await readNumber(own, customerId);
    const { id } = await createSampleAction(test.database, { customerId, ...sides });
    expect(await readNumber(own, customerId)).toEqual([2, false]);
    await test.database.action.update({ where: { id }, data: { status: 'PENDING' } });
    expect(await readNumber(own, customerId)).toEqual([3, false]);
    await pin(customerId, '0xa');
    expect(await readNumber(own, customerId)).toEqual([4, false]);
    await test.database.pinnedToken.deleteMany({ where: { customerId } });
    expect(await readNumber(own, customerId)).toEqual([5, false]);
    expect(await readNumber(own, customerId)).toEqual([5, false]);
  });

  it('is computed again after a movement, and after a reorganisation replaced its block', async () => {
    const customerId = await registered();
    const own = startProcess();
    const { id: walletId } = await test.database.watchedWallet.create({ data: { address: WALLET.toLowerCase() } });
    await test.database.walletWatch.create({ data: { customerId, walletId } });
    const at = { number: 9n, hash: '0x09', blockTime: new Date(), finalNumber: 0n, headNumber: 9n };
    await test.database.indexCursor.create({ data: { chainId: 1n, stream: 'transfers', ...at } });
    await readNumber(own, customerId);
    const entry = (block: number) => ({
      chainId: 1n,
      txHash: new Uint8Array([block]),
      logIndex: 0,
      part: 1,
      blockNumber: 7n,
      blockHash: new Uint8Array([block]),
      blockTime: new Date(0),
      walletId,
      kind: 'transferIn',
      token: '0xa',
      amount: 1,
      counterparty: '0xb',
    });
    await test.database.ledgerEntry.create({ data: entry(1) });
    expect(await readNumber(own, customerId)).toEqual([2, false]);
    await test.database.ledgerEntry.deleteMany();
    await test.database.ledgerEntry.create({ data: entry(2) });
    expect(await readNumber(own, customerId)).toEqual([3, false]);
    await test.database.watchedWallet.update({ where: { id: walletId }, data: { entriesOfDay: 2 } });
    await test.database.ledgerEntry.create({ data: { ...entry(3), blockNumber: 5n, blockTime: new Date(-1) } });
    expect(await readNumber(own, customerId)).toEqual([4, false]); // an older block was read again
    await test.database.ledgerEntry.create({ data: { ...entry(4), blockNumber: 10n, blockTime: new Date(1) } });
    expect(await readNumber(own, customerId)).toEqual([4, false]); // recorded before its block: it does not count yet
    await test.database.indexCursor.updateMany({ data: { number: 10n } });
    expect(await readNumber(own, customerId)).toEqual([5, false]);
    const other = await registered();
    await readNumber(own, other);
    await test.database.ledgerEntry.deleteMany();
    expect(await readNumber(own, other)).toEqual([1, false]); // it does not watch the wallet
  });

  it('is served as it is at a low age, while the next one is computed in the background', async () => {
    const customerId = await registered();
    const own = startProcess({ freshMs: 0, servedMs: 3_600_000, waitMs: 60_000 });
    expect(await readNumber(own, customerId)).toEqual([1, false]);
    const end = heldComputation(own);
    expect(await readNumber(own, customerId)).toEqual([1, false]);
    await until('the next one is computed', () => own.compute.mock.calls.length === 2);
    expect(await readNumber(own, customerId)).toEqual([1, false]);
    end(5n);
    const other = startProcess();
    await until('the next one is stored', async () => String(await readNumber(other, customerId)) === '5,false');
  });

  it('is computed before it is served beyond that age', async () => {
    const customerId = await registered();
    const own = startProcess({ freshMs: 0, servedMs: 0, waitMs: 60_000 });
    expect([await readNumber(own, customerId), await readNumber(own, customerId)]).toEqual([
      [1, false],
      [2, false],
    ]);
  });

  it('is computed once more for a request that has seen a change during a computation', async () => {
    const customerId = await registered();
    const own = startProcess();
    await readNumber(own, customerId);
    await pin(customerId, '0xa');
    const end = heldComputation(own);
    const before = readNumber(own, customerId);
    await until('it is computed', () => own.compute.mock.calls.length === 2);
    await pin(customerId, '0xb');
    const query = jest.spyOn(test.pool, 'query');
    const after = readNumber(own, customerId);
    await query.mock.results[0]!.value; // it has read the state
    query.mockRestore();
    end(7n);
    expect((await before)[0]).toBe(7);
    expect(await after).toEqual([8, false]);
  });

  it('is served old, and marked, while the next one takes longer than a request waits', async () => {
    const customerId = await registered();
    const own = startProcess({ ...LONG, waitMs: 20 });
    await readNumber(own, customerId);
    const end = heldComputation(own);
    await pin(customerId, '0xa');
    expect(await readNumber(own, customerId)).toEqual([1, true]);
    expect(await readNumber(own, customerId)).toEqual([1, true]);
    await until('the next one is computed', () => own.compute.mock.calls.length === 2);
    end(7n);
    const other = startProcess();
    expect(await readNumber(other, customerId)).toEqual([7, false]);
    expect(own.compute).toHaveBeenCalledTimes(2);
  });

  it('is served old, and marked, when the next one fails, and recovers by itself', async () => {
    const customerId = await registered();
    const own = startProcess();
    await readNumber(own, customerId);
    await pin(customerId, '0xa');
    own.compute.mockRejectedValueOnce(new TypeError('broken'));
    expect(await readNumber(own, customerId)).toEqual([1, true]);
    expect(await readNumber(own, customerId)).toEqual([2, false]);
  });

  it('that is older than a few seconds is not served while the next one is computed, however long that takes', async () => {
    const customerId = await registered();
    const own = startProcess({ waitMs: 1, oldMs: 0 });
    await readNumber(own, customerId);
    await makeOlder(customerId, 1);
    const end = heldComputation(own);
    const served = readNumber(own, customerId);
    await until('the next one is computed', () => own.compute.mock.calls.length === 2);
    await wait(20); // longer than a request waits for a younger one
    end(7n);
    expect(await served).toEqual([7, false]);
  });

  it('that cannot be computed is the old one, marked, for six hours, and fails later', async () => {
    const customerId = await registered();
    const own = startProcess({});
    await readNumber(own, customerId);
    own.compute.mockRejectedValue(new TypeError('broken'));
    await makeOlder(customerId, 5);
    expect(await readNumber(own, customerId)).toEqual([1, true]);
    await makeOlder(customerId, 2);
    await expect(readNumber(own, customerId)).rejects.toThrow('broken');
  });

  it('that was never computed fails with its computation, and the next request computes it', async () => {
    const customerId = await registered();
    const own = startProcess();
    own.compute.mockRejectedValueOnce(new TypeError('broken'));
    await expect(readNumber(own, customerId)).rejects.toThrow('broken');
    expect(await readNumber(own, customerId)).toEqual([1, false]);
  });

  it('of another form is computed again', async () => {
    const customerId = await registered();
    await readNumber(startProcess(), customerId);
    const next = startProcess(LONG, 2);
    expect(await readNumber(next, customerId)).toEqual([1, false]);
    expect(next.compute).toHaveBeenCalledTimes(1);
  });

  it('that a process cannot serve is computed there from what is stored, and the result is stored', async () => {
    const customerId = await registered();
    await readNumber(startProcess(), customerId);
    const own = startProcess();
    own.isServable.mockReturnValue(false);
    expect(await readNumber(own, customerId)).toEqual([2, false]);
    expect(await readNumber(startProcess(), customerId)).toEqual([2, false]);
  });

  it('that is computed for the first time is computed once more for a request after a change', async () => {
    const customerId = await registered();
    const own = startProcess();
    const end = heldComputation(own);
    const before = readNumber(own, customerId);
    await until('it is computed', () => own.compute.mock.calls.length === 1);
    await pin(customerId, '0xa');
    const query = jest.spyOn(test.pool, 'query');
    const after = readNumber(own, customerId);
    await query.mock.results[0]!.value; // it has read the state
    query.mockRestore();
    end(7n);
    expect((await before)[0]).toBe(7);
    expect(await after).toEqual([8, false]);
  });

  it('is of its customer alone, and is not stored for a wallet that is not registered', async () => {
    const [customerId, other] = [await registered(), newCustomer()];
    const own = startProcess();
    await readNumber(own, customerId);
    own.compute.mockResolvedValue({ number: 99n });
    expect(await readNumber(own, other)).toEqual([99, false]);
    expect(await test.database.walletSnapshot.count({ where: { customerId: other } })).toBe(0);
    expect(await readNumber(own, customerId)).toEqual([1, false]);
  });

  it('goes with its wallet', async () => {
    const customerId = await registered();
    await readNumber(startProcess(), customerId);
    await test.database.customerWallet.deleteMany({ where: { customerId } });
    expect(await test.database.walletSnapshot.count({ where: { customerId } })).toBe(0);
  });

  it('of a process that crashed while computing is computed by another one once the claim has expired', async () => {
    const customerId = await registered();
    const crashed = startProcess({ ...LONG, claimMs: 3_600_000 });
    const end = heldComputation(crashed);
    const lost = readNumber(crashed, customerId);
    while (crashed.compute.mock.calls.length === 0) await wait(5);
    const { claimedUntil } = await test.database.walletSnapshot.findFirstOrThrow({ where: { customerId } });
    expect(claimedUntil!.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(claimedUntil!.getTime()).toBeLessThan(Date.now() + 3_600_001);
    await test.database.walletSnapshot.updateMany({ where: { customerId }, data: { claimedUntil: new Date(0) } });
    expect(await readNumber(startProcess(), customerId)).toEqual([1, false]);
    end(66n);
    await lost;
    expect(await readNumber(startProcess(), customerId)).toEqual([1, false]); // its late result was not stored
  });
});
