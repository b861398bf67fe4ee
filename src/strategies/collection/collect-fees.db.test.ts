import type { Address } from 'viem';
import { zeroAddress } from 'viem';
import type { CustomerId } from '../../auth/principal';
import { toMicroUsd } from '../../money/usd';
import {
  actor,
  addCustomer,
  codeOf,
  COLLECTOR,
  feeDatabase,
  feeWorld,
  PARTNER,
  STRATEGY,
} from '../../../test/strategies/fee-world';
import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { addressOf, ethereum, RAY, rowOf } from '../../../test/strategies/scripted-catalog';
import type { TestDatabase } from '../../../test/setup/test-database';
import { readFeePositions } from '../fees/fee-positions';
import { createFeeReader } from '../fees/customer-fees';
import { profitFees } from '../fees/profit-fees';
import { advanceWrites, type CollectionDeps } from './advance-writes';
import { claimItems, confirmItem, updateItem } from './collection-items';
import { createCollectionRegistry, type CollectionRegistry, type MinedState } from './collection-registry';
import { planRuns } from './plan-runs';
import { entryKey, type RegistryEntry } from './registry-contract';
import { rotateCollectionRecipients, setRecurringCollection } from './set-recurring-collection';

const REGISTRY = addressOf(700);
const WALLET = addressOf(701);
const EMPTY: RegistryEntry = {
  vault: zeroAddress,
  performanceCollector: zeroAddress,
  markupRecipient: zeroAddress,
  performanceBps: 0,
  markupBps: 0,
  live: false,
  version: 0n,
};

const MINED: MinedState = { kind: 'executed', isFinal: true, blockNumber: 90n, collected: [] };
/** What the chain has for each customer. */
const entries = new Map<string, RegistryEntry>();

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});

/** A registry in memory: an entry that was sent is mined and final at once. */
async function world(fees = { performanceFeeBps: 300, markupFeeBps: 200, markupRecipient: PARTNER as string }) {
  const opened = await feeWorld(test);
  const { deps: settings, set, customerId, log, strategies } = opened;
  const sent = new Map<string, unknown>();
  const chain = {
    sent,
    get entry() {
      return entries.get(customerId) ?? EMPTY;
    },
    set entry(entry: RegistryEntry) {
      entries.set(customerId, entry);
    },
  };
  const registry: CollectionRegistry = {
    ...createCollectionRegistry({ rpc: {} as never, serviceWallet: undefined, maxGasUsd: toMicroUsd(1n) }),
    addressOn: () => REGISTRY,
    readEntry: (place) => Promise.resolve(entries.get(place.customerId) ?? EMPTY),
    sendEntry(place, { id, sent: { entry, expectedVersion } }) {
      if (!sent.has(id)) entries.set(place.customerId, { ...entry, version: expectedVersion + 1n });
      sent.set(id, entry);
      return Promise.resolve({ txHash: '0x01' });
    },
    readTransaction: () => Promise.resolve(MINED),
  };
  const deps = { ...settings, registry };
  const jobs: CollectionDeps & { registry: CollectionRegistry } = {
    database: test.database,
    registry,
    strategies,
    log: log as never,
  };
  await set({ ...fees, feeCollector: COLLECTOR });
  const own = { ...actor, customerId };
  const key = { customerId, strategyId: STRATEGY };
  return {
    ...opened,
    deps,
    chain,
    key,
    jobs,
    turn: (state: string, intervalDays?: number) =>
      setRecurringCollection(deps, own, { strategyId: STRATEGY, state, intervalDays }),
    rotate: (recipients: { feeCollector?: string; markupRecipient?: string }) =>
      rotateCollectionRecipients(deps, own, { strategyId: STRATEGY, ...recipients }),
    advance: () => advanceWrites(jobs, Date.now() + 10_000, AbortSignal.timeout(10_000)),
    plan: () => planRuns(jobs),
    due: () => test.database.recurringCollection.updateMany({ where: key, data: { nextRunAt: new Date(0) } }),
    enrol: (wallet: Address = WALLET) => test.database.collectionEnrolment.create({ data: { ...key, wallet } }),
  };
}

type World = Awaited<ReturnType<typeof world>>;

describe('a recurring collection', () => {
  it('is live once the chain has confirmed its entry, which is sent once', async () => {
    const { turn, advance, chain } = await world();
    expect((await turn('LIVE', 7)).recurringCollection).toMatchObject({ state: 'PENDING', intervalDays: 7 });
    await Promise.all([advance(), advance(), advance()]);
    expect(chain.sent.size).toBe(1);
    expect(chain.entry).toMatchObject({ performanceBps: 300, markupBps: 200, live: true, version: 1n });
    expect((await turn('LIVE')).recurringCollection).toMatchObject({ state: 'LIVE', intervalDays: 7 });
    await turn('PAUSED');
    await advance();
    expect(chain.entry).toMatchObject({ live: false, version: 2n });
    expect((await turn('OFF')).recurringCollection).toMatchObject({ state: 'OFF' });
  });

  const CASES: readonly (readonly [string, (opened: World) => Promise<unknown>])[] = [
    ['CUSTOMER_STRATEGY_NOT_FOUND', ({ turn }) => turn('PAUSED')],
    [
      'RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED',
      ({ deps, key }) => {
        const registry = createCollectionRegistry({
          rpc: {} as never,
          serviceWallet: undefined,
          maxGasUsd: toMicroUsd(1n),
        });
        const own = { ...actor, customerId: key.customerId };
        return setRecurringCollection({ ...deps, registry }, own, { strategyId: STRATEGY, state: 'LIVE' });
      },
    ],
    [
      'RECURRING_COLLECTION_REQUIRES_FEE',
      async ({ set, turn }) => {
        await set({ performanceFeeBps: 0, markupFeeBps: 0 });
        return turn('LIVE');
      },
    ],
    [
      'RECURRING_MARKUP_RECIPIENT_REQUIRED',
      async ({ set, turn }) => {
        await set({ markupRecipient: zeroAddress });
        return turn('LIVE');
      },
    ],
    [
      'MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR',
      async ({ turn, advance, rotate }) => {
        await turn('LIVE');
        await advance();
        return rotate({ markupRecipient: COLLECTOR });
      },
    ],
    [
      'RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH',
      async ({ turn, advance, rotate, key }) => {
        await turn('LIVE');
        await advance();
        const id = 'c0ffee00-0000-4000-8000-000000000001';
        await test.database.collectionRun.create({ data: { id, ...key, period: 1n, state: 'UNKNOWN' } });
        return rotate({ feeCollector: addressOf(702) });
      },
    ],
    [
      'RECURRING_REGISTRY_MISMATCH',
      async ({ turn, advance, chain }) => {
        await turn('LIVE');
        await advance();
        chain.entry = { ...chain.entry, performanceBps: 9000 };
        return turn('PAUSED');
      },
    ],
  ];

  it.each(CASES)('is refused with %s', async (code, attempt) => {
    expect(await codeOf(attempt(await world()))).toBe(code);
  });

  it('is not changed while a change is pending', async () => {
    const { turn } = await world();
    await turn('LIVE');
    expect(await codeOf(turn('PAUSED'))).toBe('RECURRING_REGISTRY_MISMATCH');
  });

  it('keeps its recipients while a collection may be executed, also in the fees of withdrawals', async () => {
    const { turn, advance, key, set, fees } = await world();
    await turn('LIVE');
    await advance();
    const id = 'c0ffee00-0000-4000-8000-000000000002';
    await test.database.collectionRun.create({ data: { id, ...key, period: 1n, state: 'DISPATCHED' } });
    const code = 'RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH';
    expect(await codeOf(set({ feeCollector: addressOf(702) }))).toBe(code);
    expect(await codeOf(set({ markupRecipient: zeroAddress }))).toBe(code);
    await set({ entryFeeBps: 7 });
    expect(await fees()).toMatchObject({ entryBps: 7, collector: COLLECTOR, markupRecipient: PARTNER });
    await test.database.collectionRun.updateMany({ where: key, data: { state: 'CONFIRMED' } });
    await set({ feeCollector: addressOf(702) });
    expect(await fees()).toMatchObject({ collector: addressOf(702) });
  });

  it('begins a shorter interval at once', async () => {
    const { turn, advance } = await world();
    await turn('LIVE', 300);
    await advance();
    const { recurringCollection } = await turn('LIVE', 2);
    expect(recurringCollection).toMatchObject({ state: 'LIVE', intervalDays: 2 });
    const days = (recurringCollection!.nextRunAt!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(1.9);
    expect(days).toBeLessThan(2.1);
  });

  it('is confirmed when the chain has its entry, although the transaction is missing', async () => {
    const { turn, advance, chain, jobs } = await world();
    await turn('LIVE');
    jobs.registry = { ...jobs.registry, sendEntry: () => Promise.resolve('unfunded') };
    await advance();
    expect((await turn('LIVE').catch(() => undefined)) ?? 'refused').toBe('refused');
    const entry = { vault: rowOf(1).market, performanceCollector: COLLECTOR, markupRecipient: PARTNER } as const;
    chain.entry = { ...entry, performanceBps: 300, markupBps: 200, live: true, version: 1n };
    jobs.registry = { ...jobs.registry, sendEntry: () => Promise.resolve('refused') };
    await test.database.registryWrite.updateMany({ data: { nextAt: new Date(0) } });
    await advance();
    expect((await turn('LIVE')).recurringCollection).toMatchObject({ state: 'LIVE', reason: null });
  });

  it('pays new recipients, on chain and at withdrawals', async () => {
    const { turn, advance, rotate, chain, fees } = await world();
    await turn('LIVE');
    await advance();
    await rotate({ feeCollector: addressOf(702) });
    await advance();
    expect(chain.entry).toMatchObject({ performanceCollector: addressOf(702), markupRecipient: PARTNER, version: 2n });
    expect(await fees()).toMatchObject({ collector: addressOf(702) });
  });

  it('exists only for the customer that turned it on', async () => {
    const { turn, advance, deps } = await world();
    await turn('LIVE');
    await advance();
    const { id } = await addCustomer(test, 'other');
    const foreign = { ...actor, customerId: id as CustomerId };
    const change = setRecurringCollection(deps, foreign, { strategyId: STRATEGY, state: 'OFF' });
    expect(await codeOf(change)).toBe('CUSTOMER_STRATEGY_NOT_FOUND');
  });
});

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

describe('the profit that a collection has charged', () => {
  const RATE = { performanceBps: 300, markupBps: 200 };
  const BOUGHT = 10_000n;
  const PRICE = (RAY * 13n) / 10n;

  /** A position that was bought at 1.0, of which a collection at 1.3 has taken some of its shares. */
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

  it('is what was paid for, and no more: the rest is charged by the withdrawal', async () => {
    // 15 shares at 1.3 are 5 % of 390 of the profit of 3000.
    const { feeAt } = await collected('CONFIRMED', { performance: 9n, markup: 6n });
    expect(await feeAt(13n)).toEqual({ performance: 78n, markup: 52n });
  });

  it('counts as charged until now while its transaction may be executed', async () => {
    const { feeAt } = await collected('DISPATCHED', { performance: 9n, markup: 6n });
    expect(await feeAt(20n)).toEqual({ performance: 0n, markup: 0n });
  });
});
