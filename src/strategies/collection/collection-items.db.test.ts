import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { collectionSettings, WALLET } from '../../../test/strategies/collection-settings';
import { feeDatabase } from '../../../test/strategies/fee-world';
import { addressOf } from '../../../test/strategies/scripted-catalog';
import type { TestDatabase } from '../../../test/setup/test-database';
import { claimItems, renewClaim, updateItem } from './collection-items';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = () => collectionSettings(test);

afterEach(() => test.database.recurringCollection.deleteMany());

/** A due run of a customer with these wallets. */
async function planned(wallets: readonly number[]) {
  const opened = await world();
  await opened.turn('LIVE');
  await opened.advance();
  for (const index of wallets) await opened.enrol(addressOf(index));
  await opened.due();
  await opened.plan();
  return opened;
}

describe('a run of a collection', () => {
  it('is planned once for a period, however many workers plan it', async () => {
    const { turn, advance, enrol, due, plan, key } = await world();
    await turn('LIVE');
    await advance();
    await enrol();
    await due();
    const planned = await Promise.all([plan(), plan(), plan()]);
    expect(planned.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await test.database.collectionItem.findMany({ where: key })).toMatchObject([
      { wallet: WALLET, state: 'PLANNED' },
    ]);
  });

  it('is not planned when the chain has another entry, and writes changed fees first', async () => {
    const { turn, advance, due, plan, chain, set, key } = await world();
    await turn('LIVE');
    await advance();
    await due();
    const confirmed = chain.entry;
    chain.entry = { ...confirmed, markupRecipient: addressOf(703) };
    expect(await plan()).toBe(0);
    chain.entry = confirmed;
    await set({ performanceFeeBps: 100 });
    await due();
    expect(await plan()).toBe(0);
    await advance();
    expect(chain.entry).toMatchObject({ performanceBps: 100, live: true, version: 2n });
    await due();
    expect(await plan()).toBe(1);
    expect(await test.database.collectionRun.findMany({ where: key })).toMatchObject([{ state: 'CONFIRMED' }]);
  });
});

describe('the wallets of a run', () => {
  it('are claimed in turns between customers: many of one do not delay those of another', async () => {
    const many = await planned([710, 711, 712, 713, 714]);
    const few = await planned([720]);
    const claimed = await claimItems(test, 2);
    expect(new Set(claimed.map(({ customerId }) => customerId))).toEqual(new Set([many.customerId, few.customerId]));
    expect(await claimItems(test, 10)).toHaveLength(4);
    expect(await claimItems(test, 10)).toEqual([]);
  });

  it('belong to the last worker that has claimed them: a former one can neither send nor store', async () => {
    await planned([701]);
    const [former] = await claimItems(test, 1);
    expect(await renewClaim(test, former!)).toBe(true);
    await test.database.collectionItem.updateMany({ data: { nextAt: new Date(0) } });
    const [later] = await claimItems(test, 1);
    expect(later).toMatchObject({ id: former!.id, attempts: 2 });
    expect(await renewClaim(test, former!)).toBe(false);
    const store = (item: typeof later) =>
      test.database.$transaction((tx) => updateItem(tx, item!, { state: 'SKIPPED', reason: 'None' }));
    expect([await store(former), await store(later), await store(later)]).toEqual([false, true, false]);
    expect(await test.database.collectionRun.findMany()).toMatchObject([{ state: 'CONFIRMED' }]);
  });

  it('are left to the next run once that is due', async () => {
    const { due } = await planned([701]);
    expect(await claimItems(test, 1)).toMatchObject([{ isNextDue: false }]);
    await test.database.collectionItem.updateMany({ data: { nextAt: new Date(0) } });
    await due();
    expect(await claimItems(test, 1)).toMatchObject([{ isNextDue: true }]);
  });
});
