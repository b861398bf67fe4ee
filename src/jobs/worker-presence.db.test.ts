import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { announceWorker, isOlderWorkerPresent, isWorkerPresent, WORKER_REVISIONS } from './worker-presence';

let world: TestDatabase;
beforeEach(async () => {
  world = await createTestDatabase();
});
afterEach(() => world.drop());

const log = { warn: jest.fn() };
const announce = (isWorking = true) => announceWorker({ pool: world.pool, log, isWorking: () => isWorking });

it('is seen by other processes while it works, and no longer once it has stopped', async () => {
  expect(await isWorkerPresent(world.pool)).toBe(false);
  const [first, second] = [announce(), announce()];
  while (!(await isWorkerPresent(world.pool))) await new Promise((resolve) => setImmediate(resolve));
  await first.stop();
  while ((await world.database.worker.count()) === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await isWorkerPresent(world.pool)).toBe(true);
  await second.stop();
  expect(await isWorkerPresent(world.pool)).toBe(false);
  expect(log.warn).not.toHaveBeenCalled();
});

it('is not seen when it ended without stopping, and is forgotten by the next one', async () => {
  const seenAt = (seconds: number) => new Date(Date.now() - seconds * 1000);
  await world.database.worker.create({ data: { id: crypto.randomUUID(), seenAt: seenAt(86_500) } });
  await world.database.worker.create({ data: { id: crypto.randomUUID(), seenAt: seenAt(600) } });
  expect(await isWorkerPresent(world.pool)).toBe(false);
  const worker = announce();
  await worker.stop();
  expect(await world.database.worker.count()).toBe(1);
});

it('is not seen to run jobs while its queue is not connected, but its version still counts', async () => {
  const worker = announce(false);
  while ((await world.database.worker.count()) === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await isWorkerPresent(world.pool)).toBe(false);
  const laterFeature = Math.max(...Object.values(WORKER_REVISIONS)) + 1;
  expect(await isOlderWorkerPresent(world.database, laterFeature)).toBe(true);
  await worker.stop();
  expect(await isOlderWorkerPresent(world.database, laterFeature)).toBe(false);
});

it('of an earlier version is distinguished from those of this one while it runs, for each feature by itself', async () => {
  const isOlderPresent = () => isOlderWorkerPresent(world.database, WORKER_REVISIONS.transfersWithinActions);
  const worker = announce();
  while (!(await isWorkerPresent(world.pool))) await new Promise((resolve) => setImmediate(resolve));
  expect(await isOlderPresent()).toBe(false);
  // As a worker of the version before stores itself.
  await world.pool.query('INSERT INTO "Worker" ("id", "seenAt") VALUES (gen_random_uuid(), now())');
  expect(await isWorkerPresent(world.pool)).toBe(true);
  expect(await isOlderPresent()).toBe(true);
  expect(await isOlderWorkerPresent(world.database, 0)).toBe(false);
  await world.pool.query(`UPDATE "Worker" SET "seenAt" = now() - interval '1 minute' WHERE "revision" = 0`);
  expect(await isOlderPresent()).toBe(false);
  await worker.stop();
});
