import { listAuditEntries } from '../../auth/audit-log';
import type { CustomerId } from '../../auth/principal';
import type { TestDatabase } from '../../../test/setup/test-database';
import { closeCatalogs } from '../../../test/strategies/catalog-world';
import {
  actor,
  addCustomer,
  BLOCKED,
  codeOf,
  COLLECTOR,
  DEFAULTS,
  feeDatabase,
  feeWorld,
  issuesOf,
  PARTNER,
  RAISED,
  STRATEGY,
} from '../../../test/strategies/fee-world';
import { lendingStrategy } from '../../../test/strategies/lending-strategy';
import { addressOf, rowOf } from '../../../test/strategies/scripted-catalog';
import { uniformFees } from './customer-fees';
import { findCustomerStrategy, listCustomerStrategies } from './customer-strategies';
import { setStrategyFees } from './set-strategy-fees';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = (rows?: Parameters<typeof feeWorld>[1]) => feeWorld(test, rows);

describe('the fees of a customer', () => {
  it('replace those of the deployment in what its users see and pay, and leave other customers alone', async () => {
    const { set, fees, run, refresh, customerId } = await world();
    const { id: other } = await addCustomer(test, 'other');
    await refresh();
    await set({ entryFeeBps: 30, performanceFeeBps: 100, markupFeeBps: 200, feeCollector: COLLECTOR });
    expect(await fees()).toMatchObject({ entryBps: 30, performanceBps: 100, markupBps: 200, collector: COLLECTOR });
    expect(await fees(other)).toEqual(DEFAULTS);
    const query = `{
      strategy(id: "${STRATEGY}") { ...shown }
      strategies(sort: NET_APY) { data { id ...shown } }
      strategiesConnection { nodes { ...shown } }
      strategyDetail(strategyId: "${STRATEGY}") { strategy { ...shown } rateHistory { grossAPY netAPY } }
    } fragment shown on Strategy { fee performanceFeeBps markupFeeBps grossAPY netAPY }`;
    const as = (id: CustomerId) => run(query, { kind: 'apiKey', customerId: id, keyId: 'key' });
    const [own, foreign] = [await as(customerId), await as(other)];
    const shown = { fee: '30', performanceFeeBps: '100', markupFeeBps: '200' };
    const { strategy, strategies, strategiesConnection, strategyDetail } = own.data;
    for (const each of [strategy, strategiesConnection.nodes[0], strategyDetail.strategy]) {
      expect(each).toMatchObject(shown);
      expect(each.netAPY).toBeCloseTo(each.grossAPY * 0.97, 12);
    }
    // The other strategy has the higher fees of the deployment of this test.
    expect(strategies.data.map(({ id }: any) => id)).toEqual(['Vault-1-ethereum', 'Vault-2-ethereum']);
    expect(strategies.data[1]).toMatchObject({ fee: '10', performanceFeeBps: '500', markupFeeBps: '1000' });
    for (const { grossAPY, netAPY } of strategyDetail.rateHistory) expect(netAPY).toBeCloseTo(grossAPY * 0.97, 12);
    expect(foreign.data.strategy).toMatchObject({ fee: '10', performanceFeeBps: '500', markupFeeBps: '1000' });
  });

  it('exist only for the customer that set them', async () => {
    const { set, find, customerId } = await world();
    const { id: other } = await addCustomer(test, 'other');
    expect(await codeOf(find())).toBe('CUSTOMER_STRATEGY_NOT_FOUND');
    await set({ entryFeeBps: 1 });
    expect(await find()).toMatchObject({ strategyId: STRATEGY, entryFeeBps: 1, performanceFeeBps: 500 });
    expect(await codeOf(find(other))).toBe('CUSTOMER_STRATEGY_NOT_FOUND');
    expect(await listCustomerStrategies(test, other)).toEqual([]);
    expect(await listCustomerStrategies(test, customerId)).toHaveLength(1);
  });

  it('do not exist under a name that no strategy can have', async () => {
    const { run, customerId } = await world();
    const user = { kind: 'bearer', customerId, subject: 'ana', role: 'owner' } as const;
    for (const name of ['a\\u0000', '\\u0000', '', ' ', "' OR 1=1"]) {
      const { codes } = await run(`{ customerStrategy(strategyId: "${name}") { entryFeeBps } }`, user);
      expect([name, codes]).toEqual([name, ['CUSTOMER_STRATEGY_NOT_FOUND']]);
    }
  });

  it('stay those of a strategy that is renamed, in what is charged, found, changed and activated', async () => {
    const { set, customerId } = await world();
    await set({ ...RAISED, entryFeeBps: 3 });
    const row = rowOf(1, { id: 'Renamed-TKN-ethereum', aliases: ['Vault-1-ethereum'] });
    const { deps, activate, fees } = await world([row]);
    await activate();
    expect(await fees(customerId, row)).toMatchObject({ entryBps: 3, performanceBps: 2000 });
    for (const strategyId of ['renamed-tkn-ethereum', STRATEGY])
      expect(await findCustomerStrategy(deps, { customerId, strategyId })).toMatchObject({ entryFeeBps: 3 });
    const change = { strategyId: 'Renamed-TKN-ethereum', performanceFeeBps: 1000 };
    expect(await setStrategyFees(deps, { ...actor, customerId }, change)).toMatchObject({
      entryFeeBps: 3,
      performanceFeeBps: 1000,
    });
    expect(await listCustomerStrategies(test, customerId)).toHaveLength(1);
  });

  it('are refused with all their problems at once', async () => {
    const { set } = await world();
    expect(
      await issuesOf(
        set({
          entryFeeBps: -1,
          performanceFeeBps: 10_000,
          markupFeeBps: 1.5,
          feeCollector: 'x',
          markupRecipient: '0x1',
        }),
      ),
    ).toEqual(['entryFeeBps', 'performanceFeeBps', 'markupFeeBps', 'feeCollector', 'markupRecipient']);
    expect(await issuesOf(set({}))).toEqual(['entryFeeBps']);
    expect(await issuesOf(set({ feeCollector: `0x${'0'.repeat(40)}` }))).toEqual(['feeCollector']);
    expect(await issuesOf(set({ feeCollector: addressOf(1) }))).toEqual(['feeCollector']);
    expect(await issuesOf(set({ performanceFeeBps: 5000, markupFeeBps: 5000 }))).toEqual(['markupFeeBps']);
    expect(await codeOf(set({ feeCollector: BLOCKED }))).toBe('FORBIDDEN');
    const conflict = { feeCollector: COLLECTOR, markupRecipient: COLLECTOR.toLowerCase() };
    expect(await codeOf(set(conflict))).toBe('MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR');
    await set({ markupRecipient: PARTNER });
    expect(await codeOf(set({ feeCollector: PARTNER }))).toBe('MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR');
    expect(await set({ markupRecipient: `0x${'0'.repeat(40)}` })).toMatchObject({ markupRecipient: null });
    expect(await codeOf(setStrategyFees((await world()).deps, actor, { strategyId: 'none', entryFeeBps: 1 }))).toBe(
      'STRATEGY_NOT_FOUND',
    );
  });

  it('do not exist for tokenized stocks, whose orders are free', async () => {
    const { set, deps, fees, customerId } = await world();
    const stock = lendingStrategy({ protocol: 'tokenized-stock' });
    const strategies = { ...deps.strategies, get: () => stock };
    const change = { strategyId: STRATEGY, entryFeeBps: 5 };
    expect(await issuesOf(setStrategyFees({ ...deps, strategies }, { ...actor, customerId }, change))).toEqual([
      'strategyId',
    ]);
    await set({ entryFeeBps: 5 });
    expect(await fees()).toMatchObject({ entryBps: 5, performanceBps: 500 });
    const free = { entryBps: 0, performanceBps: 0, markupBps: 0 };
    expect(await fees(customerId, rowOf(1, { protocol: 'tokenized-stock' }))).toMatchObject(free);
    expect(uniformFees(DEFAULTS).of(stock)).toMatchObject(free);
  });

  it('need a collector where the deployment has none', async () => {
    const { deps, customerId } = await world();
    const without = {
      ...deps,
      defaults: { entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined, marks: [] },
    };
    const change = setStrategyFees(without, { ...actor, customerId }, { strategyId: STRATEGY, markupFeeBps: 1 });
    expect(await issuesOf(change)).toEqual(['feeCollector']);
  });

  it('are recorded once, and not at all when no setting changes', async () => {
    const { set, customerId } = await world();
    await set({ entryFeeBps: 20 });
    await set({ entryFeeBps: 20 });
    const { entries } = await listAuditEntries(test, { customerId });
    expect(entries).toMatchObject([
      { operation: 'setStrategyFees', targetType: 'strategy', targetId: STRATEGY, detail: { entryFeeBps: 20 } },
    ]);
  });
});
