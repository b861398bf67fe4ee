import { type Address, zeroAddress } from 'viem';
import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { type CollectionSettings, collectionSettings } from '../../../test/strategies/collection-settings';
import {
  actor,
  addCustomer,
  codeOf,
  COLLECTOR,
  feeDatabase,
  issuesOf,
  PARTNER,
  STRATEGY,
} from '../../../test/strategies/fee-world';
import { addressOf, rowOf } from '../../../test/strategies/scripted-catalog';
import type { TestDatabase } from '../../../test/setup/test-database';
import { toMicroUsd } from '../../money/usd';
import { createCollectionRegistry } from './collection-registry';
import { enrolWallet } from './enrol-wallet';
import { setRecurringCollection } from './set-recurring-collection';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = () => collectionSettings(test);

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

  const CASES: readonly (readonly [string, (opened: CollectionSettings) => Promise<unknown>])[] = [
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

  it('takes a bounded number of wallets, of those that hold shares', async () => {
    const { turn, advance, deps, key } = await world();
    const balances = new Map([[addressOf(790), 1n]]);
    const registry = {
      ...deps.registry,
      readWallet: (_: unknown, { wallet }: { readonly wallet: Address }) =>
        Promise.resolve({ balance: balances.get(wallet) ?? 0n, isEnrolled: false }),
    };
    const enrol = (wallet: string) =>
      enrolWallet({ ...deps, registry }, { ...key, actor: undefined, wallet, strategyId: STRATEGY });
    await turn('LIVE');
    expect(await codeOf(enrol(addressOf(790)))).toBe('RECURRING_REGISTRY_MISMATCH');
    await advance();
    expect(await issuesOf(enrol(addressOf(791)))).toEqual(['wallet']);
    await test.pool.query(
      `INSERT INTO "CollectionEnrolment" ("customerId", "strategyId", wallet)
       SELECT $1, $2, 'wallet ' || index FROM generate_series(1, 10000) AS index`,
      [key.customerId, STRATEGY],
    );
    expect(await issuesOf(enrol(addressOf(790)))).toEqual(['wallet']);
    await test.database.collectionEnrolment.deleteMany({ where: { ...key, wallet: 'wallet 1' } });
    expect(await enrol(addressOf(790))).toMatchObject({ maxBps: 500, isEnrolledOnChain: false });
    expect(await enrol(addressOf(790))).toMatchObject({ wallet: addressOf(790) });
    expect(await test.database.collectionEnrolment.count({ where: key })).toBe(10_000);
  });

  it('exists only for the customer that turned it on', async () => {
    const { turn, advance, deps } = await world();
    await turn('LIVE');
    await advance();
    const { id } = await addCustomer(test, 'other');
    const foreign = { ...actor, customerId: id };
    const change = setRecurringCollection(deps, foreign, { strategyId: STRATEGY, state: 'OFF' });
    expect(await codeOf(change)).toBe('CUSTOMER_STRATEGY_NOT_FOUND');
  });
});
