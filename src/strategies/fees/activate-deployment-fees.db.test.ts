import type { CustomerId } from '../../auth/principal';
import type { TestDatabase } from '../../../test/setup/test-database';
import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { addCustomer, DEFAULTS, feeDatabase, feeWorld, STRATEGY } from '../../../test/strategies/fee-world';
import { lendingStrategy } from '../../../test/strategies/lending-strategy';
import { addressOf, RAY, rowOf } from '../../../test/strategies/scripted-catalog';
import { activateDeploymentFees } from './activate-deployment-fees';
import { createFeeReader } from './customer-fees';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = (rows?: Parameters<typeof feeWorld>[1]) => feeWorld(test, rows);

describe('the fees of the deployment on profit', () => {
  const HIGHER = { ...DEFAULTS, performanceBps: 3000 };

  /** A deployment of its own: no other test has activated its fees. */
  async function deployment(rows?: Parameters<typeof feeWorld>[1]) {
    const own = await world(rows);
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
      /** Lower fees were configured for an hour. */
      elapse: () =>
        test.pool.query(`UPDATE "DeploymentFees" SET "lowerSince" = "lowerSince" - make_interval(hours => 1)`),
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
    const { activated, active, marks, nodes, elapse } = await deployment();
    await activated(HIGHER);
    expect(await active()).toMatchObject({ performanceBps: 500 });
    nodes.block += 10n;
    expect(await activated()).toBe(0);
    await elapse();
    expect(await activated()).toBe(2);
    expect(await marks()).toEqual([88n]);
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 500 });
    await activated(HIGHER);
    expect(await marks()).toEqual([88n, 98n]);
  });

  it('are not activated for tokenized stocks, whose orders are free', async () => {
    const { strategies, nodes, protocols, log } = await deployment();
    const stock = lendingStrategy({ protocol: 'tokenized-stock' });
    const all = () => strategies.all().map(({ row }) => ({ ...stock, row: { ...stock.row, id: row.id } }));
    const deps = { database: test.database, protocols, rpc: nodes.rpc, log, defaults: DEFAULTS };
    expect(await activateDeploymentFees({ ...deps, strategies: { ...strategies, all } }, signal())).toBe(0);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it('are activated by one of several workers, each strategy once', async () => {
    const { activated, marks } = await deployment();
    const counts = await Promise.all([activated(), activated(), activated()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await marks()).toEqual([88n]);
  });

  it('leave one mark however often replicas with different ones alternate, and are charged as each has them', async () => {
    const { activated, active, marks, nodes, elapse } = await deployment();
    await activated(HIGHER);
    for (let minute = 0; minute < 5; minute += 1) {
      nodes.block += 10n;
      await activated();
      await elapse();
      await activated(HIGHER);
    }
    expect(await marks()).toEqual([88n]);
    expect(await active()).toMatchObject({ performanceBps: 500 });
    expect(await active(HIGHER)).toMatchObject({ performanceBps: 3000 });
  });

  it('that were raised a hundred times do not keep a customer from raising its own', async () => {
    const { activated, set, activate, fees, log } = await deployment();
    await activated();
    await test.pool.query(
      `UPDATE "DeploymentFees" SET "markBlocks" = array_fill(80::bigint, ARRAY[100]),
              "markPricesRay" = array_fill("markPricesRay"[1], ARRAY[100])`,
    );
    expect(await activated(HIGHER)).toBe(0);
    expect(log.warn).toHaveBeenCalledTimes(2);
    await set({ performanceFeeBps: 2000 });
    await activate();
    expect(await fees()).toMatchObject({ performanceBps: 2000 });
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

  it('are activated on all strategies but those whose contracts alone do not respond, wherever these are', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => rowOf(index + 1));
    const { activated, nodes } = await deployment(rows);
    const { slow } = nodes;
    slow.add(addressOf(1));
    const counts = [];
    const minute = jest.spyOn(Date, 'now').mockReturnValue(0);
    try {
      expect(await activated()).toBe(19);
      for (const { market } of rows) slow.add(market);
      slow.delete(addressOf(20));
      // A run ends after some strategies that do not respond: later ones begin with others.
      for (let run = 0; run < rows.length; run += 1) {
        minute.mockReturnValue(run * 60_000);
        counts.push(await activated(HIGHER));
      }
    } finally {
      minute.mockRestore();
    }
    expect(counts.filter((count) => count > 0)).toEqual([1]);
  });

  it('leave their marks to a customer that sets lower ones, and are no reason to charge higher ones at once', async () => {
    const { activated, set, fees, find } = await deployment();
    const { id: other } = await addCustomer(test, 'other');
    await set({ entryFeeBps: 3 });
    expect(await find()).toMatchObject({ performanceFeeBps: 0, activation: { performanceFeeBps: 500 } });
    await activated();
    await set({ performanceFeeBps: 100 }, other);
    expect(await fees(other)).toMatchObject({ performanceBps: 100, marks: [{ blockNumber: 88n }] });
    await test.database.feeActivation.deleteMany();
  });
});

const signal = () => AbortSignal.timeout(10_000);
