import { listAuditEntries } from '../../auth/audit-log';
import { until } from '../../../test/resilience/until';
import type { TestDatabase } from '../../../test/setup/test-database';
import { closeCatalogs } from '../../../test/strategies/catalog-world';
import { codeOf, COLLECTOR, feeDatabase, feeWorld, issuesOf, RAISED } from '../../../test/strategies/fee-world';
import { addressOf, RAY } from '../../../test/strategies/scripted-catalog';

let test: TestDatabase;
beforeAll(async () => {
  test = await feeDatabase();
});
afterAll(async () => {
  await closeCatalogs();
  await test.drop();
});
const world = (rows?: Parameters<typeof feeWorld>[1]) => feeWorld(test, rows);

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

  it('is refused after two hundred raises, those of the deployment included, and may still be lowered', async () => {
    const { set, activate, fees, customerId } = await world();
    await set(RAISED);
    await activate();
    const haveMarks = (count: number) =>
      test.pool.query(
        `UPDATE "CustomerStrategy" SET "markBlocks" = array_fill("markBlocks"[1], ARRAY[$2::int]),
                "markPricesRay" = array_fill("markPricesRay"[1], ARRAY[$2::int]) WHERE "customerId" = $1`,
        [customerId, count],
      );
    await haveMarks(199);
    expect(await set({ performanceFeeBps: 2001 })).toMatchObject({ activation: { state: 'REQUESTED' } });
    await test.database.feeActivation.deleteMany();
    await haveMarks(200);
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
