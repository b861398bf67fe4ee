import { type ChainTable, createChainTable } from '../../src/chains/chain-table';
import { readDeliveryBacklog } from '../../src/actions/delivery/delivery-backlog';
import { enqueue } from '../../src/jobs/enqueue';
import { readJobBacklog } from '../../src/jobs/job-backlog';
import { prepareJobQueue } from '../../src/jobs/prepare-job-queue';
import { workerLogger } from '../../src/jobs/worker-logger';
import { collectDeployment } from '../../src/main/metrics/deployment-collectors';
import { createPrometheusMetrics } from '../../src/telemetry/metrics/prometheus';
import { recordOrigin, createSampleTransfer, someChain, someHash } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

const SOME_ID = '00000000-0000-4000-8000-000000000000';
const chains = createChainTable([someChain(31337)]);
const { slug } = chains.all[0]!;
const ALL = { nodes: [{ serves: () => true }], isIndexed: () => true };
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

let test: TestDatabase;
let warnings: object[];
beforeAll(async () => {
  test = await createTestDatabase();
  const log = { error: () => undefined, warn: () => undefined, debug: () => undefined, trace: () => undefined };
  await prepareJobQueue({ url: test.url, logger: workerLogger(log) });
});
afterAll(() => test.drop());
beforeEach(() => {
  warnings = [];
});

async function render(head?: bigint): Promise<string> {
  const metrics = createPrometheusMetrics({ log: { warn: (record: object) => void warnings.push(record) } });
  const latest = () => (head === undefined ? undefined : { number: head, hash: someHash() });
  collectDeployment(metrics, { pool: test.pool, chains, heads: { latest }, ...ALL });
  return metrics.render();
}

/** The value of a series. */
function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  expect([series, line]).toEqual([series, expect.any(String)]);
  return Number(line!.slice(series.length + 1));
}

it('all statements succeed on an empty deployment, and every kind of job has a depth', async () => {
  const text = await render();
  expect(warnings).toEqual([]);
  expect(text).not.toMatch(/^afluente_collector_up\{.*\} 0$/m);
  expect(valueOf(text, 'afluente_jobs_due{task="expireActions"}')).toBe(0);
  expect(valueOf(text, 'afluente_webhooks{state="parked"}')).toBe(0);
  expect(valueOf(text, 'afluente_counter_drift')).toBe(0);
});

it('the queue has the jobs that are due, and those without attempts left', async () => {
  await test.database.$transaction((tx) => enqueue(tx, { name: 'expireActions', payload: {} }));
  await test.database.$transaction((tx) => enqueue(tx, { name: 'refreshMarkets', payload: { chainId: 1 } }));
  await test.pool.query(
    `UPDATE graphile_worker._private_jobs SET attempts = max_attempts
      WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'refreshMarkets')`,
  );
  const text = await render();
  expect(valueOf(text, 'afluente_jobs_due{task="expireActions"}')).toBe(1);
  expect(valueOf(text, 'afluente_jobs_failed{task="refreshMarkets"}')).toBe(1);
  expect(valueOf(text, 'afluente_jobs_due{task="refreshMarkets"}')).toBe(0);
});

it('failed jobs, however many, hide none that is due', async () => {
  const backlog = new Map((await readJobBacklog(test.pool, 1)).map((each) => [each.job, each]));
  expect(backlog.get('expireActions')).toMatchObject({ due: 1, failed: 0 });
  expect(backlog.get('refreshMarkets')).toMatchObject({ due: 0, failed: 1 });
});

it('deliveries are counted by provider, and one that a worker polls is open but not due', async () => {
  for (const isLeased of [false, true]) {
    const transfer = await createSampleTransfer(test.database);
    await recordOrigin(test.database, transfer.id);
    await test.database.delivery.update({
      where: { actionId: transfer.id },
      data: { nextPollAt: ago(100), leasedUntil: isLeased ? ago(-100) : null },
    });
  }
  const { provider } = await test.database.delivery.findFirstOrThrow();
  const text = await render();
  expect(valueOf(text, `afluente_deliveries_open{provider="${provider}"}`)).toBe(2);
  expect(valueOf(text, `afluente_deliveries_due{provider="${provider}"}`)).toBe(1);
  const oldest = valueOf(text, `afluente_deliveries_oldest_due_seconds{provider="${provider}"}`);
  expect(oldest).toBeGreaterThanOrEqual(100);
});

it('a limit of counted deliveries keeps those that have been due for longest', async () => {
  const [first] = await test.database.delivery.findMany({ where: { leasedUntil: null } });
  const late = await createSampleTransfer(test.database);
  await recordOrigin(test.database, late.id);
  await test.database.delivery.update({ where: { actionId: late.id }, data: { nextPollAt: ago(3600) } });
  expect(await readDeliveryBacklog(test.pool, 1)).toEqual([
    { provider: first!.provider, open: 1, due: 1, oldestDueSeconds: expect.closeTo(3600, -2) },
  ]);
});

it('the lag of a tracker is in seconds, and in blocks where this process follows the chain', async () => {
  const lease = { leaseOwner: SOME_ID, leaseUntil: ago(0) };
  await test.database.chainTracker.create({ data: { chainId: 31337, ...lease, caughtUpAt: ago(40) } });
  await test.database.trackedBlock.createMany({
    data: [99, 100].map((number) => ({ chainId: 31337, number, hash: someHash() })),
  });
  const elsewhere = await render();
  expect(valueOf(elsewhere, `afluente_tracker_lag_seconds{chain="${slug}"}`)).toBeGreaterThanOrEqual(40);
  expect(elsewhere).not.toContain('afluente_tracker_lag_blocks{');
  expect(valueOf(await render(107n), `afluente_tracker_lag_blocks{chain="${slug}"}`)).toBe(7);
});

it('a tracker that has never read its chain, or has to read it again, has a lag that grows', async () => {
  await test.database.chainTracker.updateMany({ data: { caughtUpAt: null } });
  const metrics = createPrometheusMetrics({ log: { warn: () => undefined } });
  const series = `afluente_tracker_lag_seconds{chain="${slug}"}`;
  const now = jest.spyOn(performance, 'now');
  const startedAt = performance.now();
  now.mockReturnValue(startedAt);
  try {
    collectDeployment(metrics, { pool: test.pool, chains, heads: { latest: () => undefined }, ...ALL });
    now.mockReturnValue(startedAt + 400_000);
    expect(valueOf(await metrics.render(), series)).toBeCloseTo(400);
    await test.database.chainTracker.updateMany({ data: { caughtUpAt: ago(0) } });
    now.mockReturnValue(startedAt + 500_000);
    expect(valueOf(await metrics.render(), series)).toBeLessThan(60);
  } finally {
    now.mockRestore();
  }
});

it('a chain that is no longer served has no lag, and one whose tracker has not begun has one', async () => {
  const lease = { leaseOwner: SOME_ID, leaseUntil: ago(0) };
  await test.database.chainTracker.create({ data: { chainId: 424242, ...lease, caughtUpAt: ago(9000) } });
  const lagsOf = async (table: ChainTable, isServed: boolean) => {
    const metrics = createPrometheusMetrics({ log: { warn: () => undefined } });
    const heads = { latest: () => undefined };
    collectDeployment(metrics, { pool: test.pool, chains: table, heads, ...ALL, nodes: [{ serves: () => isServed }] });
    const lines = (await metrics.render()).matchAll(/^afluente_tracker_lag_seconds\{chain="(.*)"\}/gm);
    return [...lines].map(([, chain]) => chain);
  };
  expect(await lagsOf(chains, true)).toEqual([slug]);
  expect(await lagsOf(chains, false)).toEqual([]);
  const added = createChainTable([someChain(31337), someChain(31338)]);
  expect(await lagsOf(added, true)).toEqual(added.all.map((chain) => chain.slug));
});

it('the ledger of a chain has its lag and its status', async () => {
  const block = { number: 90, hash: someHash(), blockTime: ago(300), finalNumber: 80, headNumber: 100 };
  await test.database.indexCursor.create({ data: { chainId: 31337, stream: 'transfers', ...block } });
  const idle = await render();
  expect(valueOf(idle, `afluente_ledger_status{chain="${slug}",status="idle"}`)).toBe(1);
  expect(idle).not.toContain('afluente_ledger_lag_seconds{');
  await test.database.watchedWallet.create({ data: { address: `0x${'ab'.repeat(20)}` } });
  const text = await render();
  expect(valueOf(text, `afluente_ledger_status{chain="${slug}",status="behind"}`)).toBe(1);
  expect(valueOf(text, `afluente_ledger_lag_blocks{chain="${slug}"}`)).toBe(10);
});

it('items in quarantine are counted by chain and stage, and name no action, customer or transaction', async () => {
  const txHash = someHash();
  const item = { item: txHash, txHash, customerId: SOME_ID, error: 'canary-error', nextAt: ago(0) };
  await test.database.quarantine.create({ data: { chainId: 31337, stage: 'transaction', ...item } });
  await test.database.quarantine.create({ data: { chainId: 424242, stage: 'block', ...item } });
  const text = await render();
  expect(valueOf(text, `afluente_quarantined_items{chain="${slug}",stage="transaction"}`)).toBe(1);
  expect(valueOf(text, 'afluente_quarantined_items{chain="other",stage="block"}')).toBe(1);
  for (const canary of [txHash, SOME_ID, 'canary']) expect(text).not.toContain(canary);
});

it('without the database the gauges are missing, and the metrics of the process remain', async () => {
  const metrics = createPrometheusMetrics({ log: { warn: () => undefined } });
  const pool = { query: () => Promise.reject(new Error('no connection')) } as unknown as TestDatabase['pool'];
  collectDeployment(metrics, { pool, chains, heads: { latest: () => undefined }, ...ALL });
  const text = await metrics.render();
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).not.toContain('afluente_jobs_due{');
  expect(text.match(/^afluente_collector_up\{.*\} 0$/gm)).toHaveLength(7);
});
