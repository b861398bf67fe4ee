import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { announceWorker, isOlderWorkerPresent, isWorkerPresent } from './worker-presence';

let world: TestDatabase;
beforeEach(async () => {
  world = await createTestDatabase();
});
afterEach(() => world.drop());

const log = { warn: jest.fn() };
const announce = (isWorking = true) => announceWorker({ pool: world.pool, log, isWorking: () => isWorking });

it('is seen by other processes while it works, and no longer once it has stopped', async () => {
  expect(await isWorkerPresent(world.pool)).toBe(false);
  const idle = announce(false);
  await idle.stop();
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

it('of an earlier version is distinguished from those of this one while it runs', async () => {
  const worker = announce();
  while (!(await isWorkerPresent(world.pool))) await new Promise((resolve) => setImmediate(resolve));
  expect(await isOlderWorkerPresent(world.database)).toBe(false);
  // As a worker of the version before stores itself.
  await world.pool.query('INSERT INTO "Worker" ("id", "seenAt") VALUES (gen_random_uuid(), now())');
  expect(await isOlderWorkerPresent(world.database)).toBe(true);
  await world.pool.query(`UPDATE "Worker" SET "seenAt" = now() - interval '1 minute' WHERE "revision" = 0`);
  expect(await isOlderWorkerPresent(world.database)).toBe(false);
  await worker.stop();
});
