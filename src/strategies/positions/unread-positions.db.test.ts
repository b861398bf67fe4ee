import { getAddress } from 'viem';
import { newCustomer } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { addressOf } from '../../../test/strategies/scripted-catalog';
import { forgetUnread, noteRead, noteUnread } from './unread-positions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** A position whose history withdrawals find unread. */
function positionOf({ customerId = newCustomer(), wallet = addressOf(1) } = {}) {
  const owner = { customerId, wallet: getAddress(wallet) };
  const place = { owner, strategyId: 'vault' };
  return {
    owner,
    note: (maximum?: number) => noteUnread(test.database, place, maximum),
    read: () => noteRead(test.database, owner, ['vault', 'other']),
    forget: () => forgetUnread(test.database, place),
    wait: (minutes: number) =>
      test.pool.query(
        `UPDATE "UnreadPosition" SET since = since - make_interval(mins => $1) WHERE "customerId" = $2 AND wallet = $3`,
        [minutes, owner.customerId, owner.wallet],
      ),
  };
}

describe('a withdrawal whose history is unread', () => {
  it('waits for ten minutes, and a day later once more', async () => {
    const { note, wait } = positionOf();
    expect(await note()).toBe(false);
    await wait(9);
    expect(await note()).toBe(false);
    await wait(1);
    expect([await note(), await note()]).toEqual([true, true]);
    await wait(24 * 60);
    expect(await note()).toBe(false);
  });

  it('waits anew when its history was read since the first refusal: a single failing read waives no fee', async () => {
    const { note, read, wait } = positionOf();
    await note();
    await wait(11);
    await read();
    expect(await note()).toBe(false);
    await wait(9);
    expect(await note()).toBe(false);
  });

  it('waits anew once in a day, so that a node that is slow for it alone never keeps a wallet from its deposit', async () => {
    const { note, read, wait } = positionOf();
    await note();
    await read();
    expect(await note()).toBe(false);
    await wait(10);
    await read();
    expect(await note()).toBe(true);
    await read();
    expect(await note()).toBe(true);
    await wait(24 * 60);
    await read();
    expect(await note()).toBe(false);
    await wait(11);
    await read();
    expect(await note()).toBe(false);
    await wait(10);
    expect(await note()).toBe(true);
  });

  it('waits its whole time again after one that has read it', async () => {
    const { note, forget, wait } = positionOf();
    await note();
    await wait(11);
    await forget();
    expect(await note()).toBe(false);
  });

  it('is not made to wait by another wallet or customer', async () => {
    const own = positionOf();
    const others = [positionOf(), positionOf({ customerId: own.owner.customerId, wallet: addressOf(2) })];
    for (const { note, wait } of [own, ...others]) {
      await note();
      await wait(11);
    }
    for (const { read, forget } of others) {
      await read();
      await forget();
    }
    expect(await own.note()).toBe(true);
  });

  it('is remembered for a bounded number of positions of each customer: the oldest give way', async () => {
    const customerId = newCustomer();
    const [foreign, ...own] = [
      positionOf(),
      ...[1, 2, 3, 4].map((index) => positionOf({ customerId, wallet: addressOf(index) })),
    ];
    await foreign.note(3);
    for (const [index, { note, wait }] of own.entries()) {
      await note(3);
      await wait(40 - index);
    }
    const kept = await test.database.unreadPosition.findMany({ where: { customerId }, orderBy: { since: 'asc' } });
    expect(kept.map(({ wallet }) => wallet)).toEqual([2, 3, 4].map(addressOf));
    expect(await test.database.unreadPosition.count({ where: { customerId: foreign.owner.customerId } })).toBe(1);
  });
});
