import { changeStatus } from '../../src/actions/state/change-status';
import { claimWebhooks } from '../../src/webhooks/claim-deliveries';
import { prepareEvents } from '../../src/webhooks/prepare-events';
import { recordAttempt } from '../../src/webhooks/record-attempt';
import type { Webhooks } from '../../src/webhooks/start-webhooks';
import { createSampleAction, newCustomer } from '../actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { addEndpoint, render, silent, startWorker } from './webhook-world';

/** What the endpoints of these tests receive. */
export const ACTION_EVENTS = ['action.created', 'action.pending', 'action.succeeded', 'action.failed'];

/** A database for each test of the file, with what tests do with webhooks in it. Its workers end with the test. */
export function webhookDatabase() {
  let test: TestDatabase;
  let workers: Webhooks[] = [];
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
    await test.drop();
  });

  const world = {
    get database() {
      return test.database;
    },
    get pool() {
      return test.pool;
    },
  };
  const prepare = () => prepareEvents({ database: world.database, log: silent, render });
  return {
    world,
    prepare,
    work(send: Parameters<typeof startWorker>[1]): Webhooks {
      const worker = startWorker(world.database, send);
      workers.push(worker);
      return worker;
    },
    async customerWithEndpoint(settings: Parameters<typeof addEndpoint>[2] = {}) {
      const customerId = newCustomer();
      const { endpoint } = await addEndpoint(world.database, customerId, { eventTypes: ACTION_EVENTS, ...settings });
      return { customerId, endpointId: endpoint.id };
    },
    /** An action with three events. */
    async completedAction(customerId: ReturnType<typeof newCustomer>): Promise<string> {
      const { id } = await createSampleAction(world.database, { customerId });
      for (const transition of ['originSeen', 'completed'] as const) {
        await world.database.$transaction((tx) => changeStatus(tx, id, { transition }));
      }
      return id;
    },
    async prepareAll(): Promise<void> {
      while ((await prepare()) > 0);
    },
    claim: (limit = 100) => claimWebhooks({ database: world.database }, limit),
    record: (...[claimed, result]: [Parameters<typeof recordAttempt>[1], Parameters<typeof recordAttempt>[2]]) =>
      recordAttempt({ database: world.database, random: () => 0.5 }, claimed, result),
    statesOf: async (endpointId: string) =>
      (await world.database.webhookDelivery.findMany({ where: { endpointId } })).map(({ state }) => state).toSorted(),
  };
}
