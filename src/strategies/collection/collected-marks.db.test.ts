import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { collectionSettings, WALLET } from '../../../test/strategies/collection-settings';
import { feeDatabase, STRATEGY } from '../../../test/strategies/fee-world';
import { ethereum, RAY, rowOf } from '../../../test/strategies/scripted-catalog';
import type { TestDatabase } from '../../../test/setup/test-database';
import { createFeeReader } from '../fees/customer-fees';
import { readFeePositions } from '../fees/fee-positions';
import { profitFees } from '../fees/profit-fees';
import { claimItems, confirmItem, updateItem } from './collection-items';
import { entryKey } from './registry-contract';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = () => collectionSettings(test);

describe('the profit that a collection has charged', () => {
  const RATE = { performanceBps: 300, markupBps: 200 };
  const BOUGHT = 10_000n;
  const PRICE = (RAY * 13n) / 10n;

  /** A position that was bought at 1.0. A collection at 1.3 has taken some of its shares. */
  async function collected(state: 'CONFIRMED' | 'DISPATCHED', { performance, markup }: Record<string, bigint>) {
    const opened = await world();
    const { turn, advance, enrol, due, plan, customerId } = opened;
    await turn('LIVE');
    await advance();
    await enrol();
    await due();
    await plan();
    const item = (await claimItems(test, 100)).find((each) => each.customerId === customerId)!;
    const taken = performance! + markup!;
    const dispatched = { state: 'DISPATCHED', planned: { shares: taken, bps: 500 } } as const;
    await test.database.$transaction((tx) => updateItem(tx, item, dispatched));
    const event = {
      key: entryKey(customerId, STRATEGY),
      wallet: WALLET,
      periodId: item.period,
      performanceShares: performance!,
      markupShares: markup!,
      markRay: PRICE,
      priceRay: PRICE,
    };
    const sent = { ...item, state: 'DISPATCHED' as const };
    if (state === 'CONFIRMED') {
      const confirmed = { event, blockNumber: 20n, txHash: '0x02' };
      await test.database.$transaction((tx) => confirmItem(tx, sent, confirmed));
    }
    const common = { sharePriceRay: undefined, txHash: '0x03', blockHash: '0x04', at: new Date() } as const;
    const worth = (taken * PRICE) / RAY;
    const recent = [
      { ...common, kind: 'deposit', shares: BOUGHT, assets: BOUGHT, blockNumber: 10n, logIndex: 0 },
      { ...common, kind: 'transferOut', shares: taken, assets: worth, blockNumber: 20n, logIndex: 1 },
    ] as const;
    const fees = await createFeeReader({
      database: test.database,
      defaults: { entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined },
    })(customerId);
    const shares = BOUGHT - taken;
    const feeAt = async (priceTenths: bigint) => {
      const value = (shares * priceTenths) / 10n;
      const reading = {
        strategy: { row: rowOf(1), chain: ethereum },
        state: { shares, cost: shares * 10n ** 18n, netPaidIn: 0n, realized: 0n },
        total: { entries: 2 },
        holding: { value },
        recent,
      };
      const owner = { customerId, wallet: WALLET };
      const [position] = await readFeePositions(test, { owner, readings: [reading as never], fees });
      return profitFees({ position: { state: position!, value }, assets: value, shares }, RATE);
    };
    return { ...opened, feeAt };
  }

  it('is not charged again by a withdrawal at the same price, and later profit is charged once', async () => {
    // 115 shares are worth 5 % of a profit of 2990.
    const { feeAt } = await collected('CONFIRMED', { performance: 69n, markup: 46n });
    expect(await feeAt(13n)).toEqual({ performance: 0n, markup: 0n });
    // 998 base units more: 3 % and 2 % of them.
    expect(await feeAt(14n)).toEqual({ performance: 29n, markup: 19n });
  });

  it('is the profit of the collected shares, and no more: a withdrawal charges the rest', async () => {
    // 15 shares at 1.3 are 5 % of 390 of the profit of 3000.
    const { feeAt } = await collected('CONFIRMED', { performance: 9n, markup: 6n });
    expect(await feeAt(13n)).toEqual({ performance: 78n, markup: 52n });
  });

  it('counts as charged until now while its transaction may be executed', async () => {
    const { feeAt } = await collected('DISPATCHED', { performance: 9n, markup: 6n });
    expect(await feeAt(20n)).toEqual({ performance: 0n, markup: 0n });
  });
});
