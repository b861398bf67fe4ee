import { Logger } from 'graphile-worker';
import type { Actor } from '../../auth/audit-log';
import { listAuditEntries } from '../../auth/audit-log';
import type { CustomerId } from '../../auth/principal';
import { createCustomer } from '../../customers/customers';
import { prepareJobQueue } from '../../jobs/prepare-job-queue';
import { until } from '../../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { catalogWorld, closeCatalogs } from '../../../test/strategies/catalog-world';
import { addressOf, RAY, rowOf } from '../../../test/strategies/scripted-catalog';
import { rejection } from '../../../test/swaps/swap-world';
import { activateDeploymentFees } from './activate-deployment-fees';
import { activateFees } from './activate-fees';
import { createFeeReader } from './customer-fees';
import { findCustomerStrategy, listCustomerStrategies } from './customer-strategies';
import type { FeeChanges } from './requested-fees';
import { setStrategyFees } from './set-strategy-fees';

const STRATEGY = 'vault-1-ethereum';
const [COLLECTOR, PARTNER, BLOCKED] = [addressOf(501), addressOf(502), addressOf(503)];
const DEFAULTS = { entryBps: 10, performanceBps: 500, markupBps: 0, collector: addressOf(500), marks: [] };
const RAISED = { performanceFeeBps: 2000, feeCollector: COLLECTOR };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await prepareJobQueue({ url: test.url, logger: new Logger(() => () => undefined) });
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});

/** A customer who sets fees of a strategy whose chain is scripted. */
async function world(rows = [rowOf(1), rowOf(2)]) {
  await test.database.deploymentFees.deleteMany();
  const opened = await catalogWorld(test, rows);
  const { id: customerId } = await createCustomer(test.database, { name: 'acme' });
  const { database } = test;
  const { strategies, nodes, protocols } = opened;
  const log = { info: jest.fn(), warn: jest.fn() };
  const deps = {
    database,
    strategies,
    defaults: DEFAULTS,
    blockedAddresses: new Set([BLOCKED.toLowerCase()]),
    findContractKind: (_: number, address: string) =>
      Promise.resolve(address === addressOf(1) ? ('token' as const) : undefined),
  };
  const actorOf = (id: CustomerId): Actor => ({ customerId: id, subject: 'ana', role: 'owner', requestId: 'r' });
  return {
    ...opened,
    customerId,
    deps,
    log,
    set: (changes: FeeChanges, id = customerId) =>
      setStrategyFees(deps, actorOf(id), { strategyId: STRATEGY, ...changes }),
    activate: () => activateFees({ database, rpc: nodes.rpc, strategies, protocols, log }, AbortSignal.timeout(10_000)),
    find: (id = customerId) => findCustomerStrategy(deps, { customerId: id, strategyId: STRATEGY }),
    fees: async (id = customerId, row = rowOf(1)) =>
      (await createFeeReader({ database, defaults: DEFAULTS })(id)).of({ row }),
    /** Makes open requests due at once, as after their pause. */
    elapse: () => test.pool.query(`UPDATE "FeeActivation" SET "nextAt" = now() WHERE "finishedAt" IS NULL`),
  };
}

const codeOf = async (work: Promise<unknown>) => ((await rejection(work)) as { readonly code: string }).code;
const issuesOf = async (work: Promise<unknown>) => {
  const { details } = (await rejection(work)) as { readonly details: { readonly errors: { path: string }[] } };
  return details.errors.map(({ path }) => path);
};

describe('the fees of a customer', () => {
  it('replace those of the deployment in what its users see and pay, and leave other customers alone', async () => {
    const { set, fees, run, refresh, customerId } = await world();
    const { id: other } = await createCustomer(test.database, { name: 'other' });
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
    const { id: other } = await createCustomer(test.database, { name: 'other' });
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

describe('the fees of the deployment on profit', () => {
  const HIGHER = { ...DEFAULTS, performanceBps: 3000 };

  /** A deployment of its own: no other test has activated its fees. */
  async function deployment() {
    const own = await world();
    const { database } = test;
    const { strategies, nodes, protocols, log, customerId } = own;
    const where = { strategyId: STRATEGY };
    await database.deploymentFees.deleteMany();
    return {
      ...own,
      activated: (defaults = DEFAULTS) =>
        activateDeploymentFees({ database, strategies, protocols, rpc: nodes.rpc, log, defaults }, signal()),
      active: async (defaults = DEFAULTS, id: CustomerId | undefined = customerId) =>
        (await createFeeReader({ database, defaults })(id)).of({ row: rowOf(1) }),
      marks: async () => (await database.deploymentFees.findUniqueOrThrow({ where })).markBlocks,
    };
  }

  it('apply once a worker has read from which price profit counts: profit before they were configured is free', async () => {
    const { activated, active, nodes } = await deployment();
    nodes.values.set(addressOf(1), { price: 2n * RAY });
    expect(await active()).toMatchObject({ entryBps: 10, performanceBps: 0, marks: [] });
    expect(await activated()).toBe(2);
    const mark = { blockNumber: 88n, sharePriceRay: 2n * RAY };
    expect(await active()).toMatchObject({ performanceBps: 500, marks: [mark] });
    expect(await active(DEFAULTS, undefined)).toMatchObject({ performanceBps: 500, marks: [mark] });
    expect(await activated()).toBe(0);
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 500, marks: [mark] });
    nodes.block += 10n;
    await activated(HIGHER);
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 3000, marks: [mark, { blockNumber: 98n }] });
  });

  it('have a mark of their own when they are raised again after they were lowered', async () => {
    const { activated, active, marks, nodes } = await deployment();
    await activated(HIGHER);
    expect(await active()).toMatchObject({ performanceBps: 500 });
    nodes.block += 10n;
    await activated();
    expect(await marks()).toEqual([88n]);
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 500 });
    await Promise.all([activated(HIGHER), activated(HIGHER), activated(HIGHER)]);
    expect(await marks()).toEqual([88n, 98n]);
  });

  it('wait for a strategy whose price cannot be read, and leave the other ones alone', async () => {
    const { activated, active, nodes } = await deployment();
    nodes.values.set(addressOf(1), { price: 'revert' });
    expect(await activated()).toBe(1);
    expect(await active()).toMatchObject({ performanceBps: 0 });
    nodes.values.clear();
    expect(await activated()).toBe(1);
    nodes.down.add(1);
    expect(await activated(HIGHER)).toBe(0);
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 500 });
  });

  it('leave their marks to a customer that sets lower ones, and are no reason to charge higher ones at once', async () => {
    const { activated, set, fees, find } = await deployment();
    const { id: other } = await createCustomer(test.database, { name: 'other' });
    await set({ entryFeeBps: 3 });
    expect(await find()).toMatchObject({ performanceFeeBps: 0, activation: { performanceFeeBps: 500 } });
    await activated();
    await set({ performanceFeeBps: 100 }, other);
    expect(await fees(other)).toMatchObject({ performanceBps: 100, marks: [{ blockNumber: 88n }] });
    await test.database.feeActivation.deleteMany();
  });
});

const signal = () => AbortSignal.timeout(10_000);

describe('a higher fee on profit', () => {
  it('applies once a worker has read from which price profit counts, after a final block', async () => {
    const { set, fees, activate, find, nodes, customerId } = await world();
    nodes.values.set(addressOf(1), { price: (RAY * 5n) / 4n });
    expect(await set(RAISED)).toMatchObject({
      performanceFeeBps: 500,
      activation: { state: 'REQUESTED', performanceFeeBps: 2000, finishedAt: null },
    });
    expect(await fees()).toMatchObject({ performanceBps: 500, marks: [] });
    expect(await activate()).toBe(1);
    const [mark] = [{ blockNumber: nodes.block - 12n, sharePriceRay: (RAY * 5n) / 4n }];
    expect(await fees()).toMatchObject({ performanceBps: 2000, collector: COLLECTOR, marks: [mark] });
    expect(await find()).toMatchObject({ freeUntilBlock: '88', activation: { state: 'ACTIVE', reason: null } });
    expect(await activate()).toBe(0);
    // A lower one applies at once, and what was free stays free.
    await set({ performanceFeeBps: 1500 });
    expect(await fees()).toMatchObject({ performanceBps: 1500, marks: [mark] });
    expect(await test.database.feeActivation.count({ where: { customerId } })).toBe(1);
    // A further, higher one begins later, although the price has fallen.
    nodes.block += 50n;
    nodes.values.set(addressOf(1), { price: RAY });
    await set({ performanceFeeBps: 3000 });
    await activate();
    const marks = [mark, { blockNumber: nodes.block - 12n, sharePriceRay: RAY }];
    expect(await fees()).toMatchObject({ performanceBps: 3000, marks });
    expect(await find()).toMatchObject({ freeUntilBlock: '138' });
  });

  it('is refused after a hundred raises, and may still be lowered', async () => {
    const { set, activate, fees, customerId } = await world();
    await set(RAISED);
    await activate();
    await test.pool.query(
      `UPDATE "CustomerStrategy" SET "markBlocks" = array_fill("markBlocks"[1], ARRAY[100]),
              "markPricesRay" = array_fill("markPricesRay"[1], ARRAY[100]) WHERE "customerId" = $1`,
      [customerId],
    );
    expect(await issuesOf(set({ performanceFeeBps: 2001 }))).toEqual(['performanceFeeBps']);
    await set({ performanceFeeBps: 1999 });
    expect((await fees()).performanceBps).toBe(1999);
  });

  it('has one request at a time, also after concurrent changes, and other settings may change meanwhile', async () => {
    const { set, customerId } = await world();
    const tries = Array.from({ length: 8 }, (_, index) => set({ ...RAISED, performanceFeeBps: 1000 + index }));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'FEE_ACTIVATION_IN_PROGRESS' });
    expect(await test.database.feeActivation.count({ where: { customerId } })).toBe(1);
    expect(await codeOf(set({ performanceFeeBps: 0 }))).toBe('FEE_ACTIVATION_IN_PROGRESS');
    expect(await set({ entryFeeBps: 77 })).toMatchObject({ entryFeeBps: 77, activation: { state: 'REQUESTED' } });
    await test.database.feeActivation.deleteMany();
  });

  it('is activated by another worker when the first one died, and by one of several', async () => {
    const { set, activate, find, elapse } = await world();
    await set(RAISED);
    await test.pool.query(`UPDATE "FeeActivation" SET state = 'RECONCILING', attempts = 1 WHERE "finishedAt" IS NULL`);
    await elapse();
    const attempts = await Promise.all([activate(), activate(), activate()]);
    expect(attempts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await find()).toMatchObject({ performanceFeeBps: 2000, activation: { state: 'ACTIVE' } });
  });

  it('and another setting that changes at the same time both apply, one after the other', async () => {
    const { set, activate, find, customerId } = await world();
    await set(RAISED);
    const client = await test.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM "CustomerStrategy" WHERE "customerId" = $1 FOR UPDATE', [customerId]);
      const activated = activate();
      await until('the activation waits', async () => (await waitingSessions()) === 1);
      const changed = set({ entryFeeBps: 77 });
      await until('the change waits', async () => (await waitingSessions()) === 2);
      await client.query('COMMIT');
      await Promise.all([activated, changed]);
    } finally {
      client.release();
    }
    expect(await find()).toMatchObject({ performanceFeeBps: 2000, entryFeeBps: 77, activation: { state: 'ACTIVE' } });
  });

  it('waits for a chain that does not respond, and charges the former fee until then', async () => {
    const { set, activate, fees, find, nodes, elapse } = await world();
    await set(RAISED);
    nodes.down.add(1);
    await activate();
    expect(await find()).toMatchObject({ activation: { state: 'RECONCILING', reason: expect.any(String) } });
    expect(await fees()).toMatchObject({ performanceBps: 500 });
    expect(await activate()).toBe(0);
    nodes.down.clear();
    nodes.values.set(addressOf(1), { price: 'revert' });
    await elapse();
    await activate();
    expect(await find()).toMatchObject({ activation: { state: 'RECONCILING' } });
    nodes.values.clear();
    await elapse();
    await activate();
    expect(await find()).toMatchObject({ performanceFeeBps: 2000, activation: { state: 'ACTIVE', reason: null } });
  });

  it('fails when the strategy is no longer offered, and may be requested again', async () => {
    const { set, activate, find, elapse, customerId } = await world();
    await set(RAISED);
    await test.pool.query(`UPDATE "CustomerStrategy" SET "strategyId" = 'gone' WHERE "customerId" = $1`, [customerId]);
    await elapse();
    await activate();
    const gone = await test.database.customerStrategy.findFirstOrThrow({
      where: { customerId, strategyId: 'gone' },
      include: { feeActivations: true },
    });
    expect(gone).toMatchObject({ performanceBps: 500, feeActivations: [{ state: 'FAILED' }] });
    expect(await set(RAISED)).toMatchObject({ activation: { state: 'REQUESTED' } });
    await activate();
    expect(await find()).toMatchObject({ performanceFeeBps: 2000 });
  });

  it('changes nothing when its task cannot be stored', async () => {
    const { set, find, customerId } = await world();
    await test.pool.query(`ALTER TABLE "FeeActivation" ADD CONSTRAINT full_disk CHECK (false) NOT VALID`);
    try {
      expect(await codeOf(set({ ...RAISED, entryFeeBps: 99 }))).toBe('FEE_ACTIVATION_TASK_NOT_PERSISTED');
    } finally {
      await test.pool.query(`ALTER TABLE "FeeActivation" DROP CONSTRAINT full_disk`);
    }
    expect(await codeOf(find())).toBe('CUSTOMER_STRATEGY_NOT_FOUND');
    expect((await listAuditEntries(test, { customerId })).entries).toEqual([]);
  });
});

/** Sessions of this database that wait for a lock. */
async function waitingSessions(): Promise<number> {
  const query = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await test.pool.query<{ count: number }>(query)).rows[0]?.count ?? 0;
}

const actor: Actor = { customerId: '' as CustomerId, subject: 'ana', role: 'owner', requestId: 'r' };
