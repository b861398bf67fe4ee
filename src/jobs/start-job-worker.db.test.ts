import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase, TIMEOUTS } from '../../test/setup/test-database';
import { enqueue } from './enqueue';
import type { JobHandlers } from './job-catalog';
import { type JobWorkerDeps, startJobWorker } from './start-job-worker';
import { until as untilTrue } from '../../test/resilience/until';

const log = { error: () => undefined, warn: () => undefined, debug: () => undefined, trace: () => undefined };
const quiet: JobHandlers = {
  expireActions: () => Promise.resolve(),
  purgeExpired: () => Promise.resolve(),
  foldActionCounts: () => Promise.resolve(),
  recountActions: () => Promise.resolve(),
  samplePrices: () => Promise.resolve(),
  downSamplePrices: () => Promise.resolve(),
  downSampleWalletValues: () => Promise.resolve(),
  releaseSponsoredGas: () => Promise.resolve(),
  retryQuarantined: () => Promise.resolve(),
  refreshPendingVerifications: () => Promise.resolve(),
  activateFees: () => Promise.resolve(),
  collectFees: () => Promise.resolve(),
  scheduleMarketRefreshes: () => Promise.resolve(),
  refreshMarkets: () => Promise.resolve(),
  downSampleMarkets: () => Promise.resolve(),
  walkPositions: () => Promise.resolve(),
};

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Starts a worker without scheduled jobs: they would be counted when a test runs at the start of a minute. */
const start = (handlers: Partial<JobHandlers> = {}, options: Pick<JobWorkerDeps, 'pollMs'> = {}) => {
  const deps = { url: test.url, log, timeouts: TIMEOUTS, schedule: () => undefined };
  return startJobWorker({ ...deps, ...options }, { ...quiet, ...handlers });
};
const startScheduled = (handlers: Partial<JobHandlers> = {}) =>
  startJobWorker({ url: test.url, log, timeouts: TIMEOUTS }, { ...quiet, ...handlers });
const expiry = { name: 'expireActions', payload: {} } as const;

const eventually = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilTrue('the jobs have run', condition);

const waiting = async () =>
  (await test.database.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM graphile_worker.jobs`)[0]!
    .count;

describe('the job worker', () => {
  it('may be called by several processes when no queue exists', async () => {
    const workers = await Promise.all([start(), start(), start(), start()]);
    expect(workers.map((worker) => worker.status())).toEqual(['ok', 'ok', 'ok', 'ok']);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('runs a job once its transaction has committed, and at once', async () => {
    let runs = 0;
    // Polling would find it after an hour: the worker is notified.
    const worker = await start({ expireActions: () => Promise.resolve((runs += 1)) }, { pollMs: 3_600_000 });
    await eventually(() => worker.status() === 'ok');
    await test.database.$transaction(async (tx) => {
      await enqueue(tx, expiry);
      await wait(200);
      expect(runs).toBe(0);
    });
    await eventually(() => runs === 1);
    await worker.stop();
  });

  it('never runs a job whose transaction rolled back', async () => {
    const refused = test.database.$transaction(async (tx) => {
      await enqueue(tx, expiry);
      throw new Error('rolled back');
    });
    await expect(refused).rejects.toThrow('rolled back');
    expect(await waiting()).toBe(0);
  });

  it('runs each job in one of several workers', async () => {
    let runs = 0;
    const count = () => Promise.resolve((runs += 1));
    const workers = await Promise.all([start({ expireActions: count }), start({ expireActions: count })]);
    await test.database.$transaction(async (tx) => {
      for (let index = 0; index < 50; index += 1) await enqueue(tx, expiry);
    });
    await eventually(async () => (await waiting()) === 0);
    expect(runs).toBe(50);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('keeps the last of several waiting jobs with the same key, at its requested time', async () => {
    const later = new Date(Date.now() + 3_600_000);
    await enqueue(test.database, { ...expiry, key: 'one', runAt: new Date(Date.now() + 60_000) });
    await enqueue(test.database, { ...expiry, key: 'one', runAt: later });
    await expect(test.database.$queryRaw`SELECT key, run_at FROM graphile_worker.jobs`).resolves.toEqual([
      { key: 'one', run_at: later },
    ]);
    await test.database.$executeRaw`SELECT graphile_worker.remove_job('one')`;
  });

  it('retries a failed job', async () => {
    const worker = await start({ expireActions: () => Promise.reject(new Error('not now')) });
    await enqueue(test.database, { ...expiry, key: 'failing' });
    const failed = () =>
      test.database.$queryRaw<unknown[]>`
        SELECT 1 FROM graphile_worker.jobs WHERE last_error = 'not now' AND run_at > now() AND locked_at IS NULL`;
    await eventually(async () => (await failed()).length === 1);
    await worker.stop();
    await test.database.$executeRaw`SELECT graphile_worker.remove_job('failing')`;
  });

  it('completes running jobs before it stops', async () => {
    let ended = false;
    let began = false;
    const worker = await start({
      expireActions: async () => {
        began = true;
        await wait(300);
        ended = true;
      },
    });
    await enqueue(test.database, expiry);
    await eventually(() => began);
    await worker.stop();
    expect(ended).toBe(true);
    expect(worker.status()).toBe('down');
    expect(await waiting()).toBe(0);
  });

  it('recovers from the loss of every connection', async () => {
    let runs = 0;
    const worker = await start({ expireActions: () => Promise.resolve((runs += 1)) });
    await test.database.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'afluente jobs' AND datname = current_database()`;
    await eventually(() => worker.status() === 'ok');
    await enqueue(test.database, expiry);
    await eventually(() => runs === 1);
    await worker.stop();
  });

  it('recovers from repeated losses of the database during jobs', async () => {
    let cuts = 0;
    let ends = 0;
    const worker = await start({
      expireActions: async () => {
        if (cuts < 6) {
          cuts += 1;
          await test.database.$executeRaw`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'afluente jobs' AND datname = current_database()`;
        }
        ends += 1;
      },
    });
    for (let round = 1; round <= 7; round += 1) {
      await enqueue(test.database, expiry);
      await eventually(() => ends >= round);
    }
    await eventually(async () => (await waiting()) === 0);
    await worker.stop();
  });

  it('keeps the process alive and goes on when the database is lost while jobs are scheduled', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const lost = new Error('Connection terminated unexpectedly');
    const schedule = jest.spyOn(Pool.prototype, 'query').mockRejectedValueOnce(lost as never);
    let runs = 0;
    const worker = await startScheduled({ expireActions: () => Promise.resolve((runs += 1)) });
    await eventually(() => schedule.mock.calls.length > 1);
    schedule.mockRestore();
    await enqueue(test.database, expiry);
    await eventually(() => runs > 0);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    await worker.stop();
  });

  it('stops while its jobs wait for the database to be scheduled', async () => {
    const lost = new Error('Connection terminated unexpectedly');
    const schedule = jest.spyOn(Pool.prototype, 'query').mockRejectedValue(lost as never);
    const worker = await startScheduled();
    await worker.stop();
    schedule.mockRestore();
    expect(worker.status()).toBe('down');
  });
});
