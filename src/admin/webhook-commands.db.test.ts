import { createSampleAction } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import {
  addEndpoint,
  eventOf,
  rejected,
  scriptedReceiver,
  startWorker,
  until,
} from '../../test/webhooks/webhook-world';
import { createCustomer } from '../customers/customers';
import { runAdmin } from './run-admin';
import { withDeployment } from './with-deployment';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

const run = (...args: string[]) =>
  runAdmin(args, (work) => withDeployment({ DATABASE_URL: world.url, API_KEY_PEPPER: 'ab'.repeat(32) }, work));
async function json(...args: string[]): Promise<any> {
  const { exitCode, output, errors } = await run(...args, '--json');
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return JSON.parse(output);
}

test('an operator finds the parked webhooks of a customer and sends them again', async () => {
  const { id: customerId } = await createCustomer(world.database, { name: 'acme' });
  expect((await run('webhook', 'endpoints', 'acme')).output).toBe('This customer has no webhook endpoints.');
  expect((await run('webhook', 'list', 'acme')).output).toBe('There are no such webhook deliveries.');
  const { endpoint } = await addEndpoint(world.database, customerId, { eventTypes: ['action.created'] });
  const { id } = await createSampleAction(world.database, { customerId });
  const receiver = scriptedReceiver(() => rejected(500));
  const worker = startWorker(world.database, receiver.send);
  await until(() => receiver.received.length === 1);
  await worker.stop();
  expect(await json('webhook', 'list', 'acme')).toMatchObject([
    { subjectId: id, state: 'WAITING', attempts: [{ status: 500 }] },
  ]);
  await world.database.webhookDelivery.updateMany({ data: { state: 'PARKED', parkedReason: 'EXHAUSTED' } });
  const [parked] = await json('webhook', 'list', 'acme', '--state', 'PARKED');
  expect((await run('webhook', 'list', 'acme')).output).toContain('EXHAUSTED');
  expect(await json('webhook', 'endpoints', 'acme')).toMatchObject([{ id: endpoint.id, state: 'ENABLED' }]);
  expect(await json('webhook', 'replay', 'acme', '--endpoint', endpoint.id)).toEqual({ count: 1 });
  const refused = await run('webhook', 'replay', 'acme', '--delivery', parked.id);
  expect(refused).toMatchObject({ exitCode: 1, errors: expect.stringContaining('already replayed') });
  expect(await json('webhook', 'prepare', 'acme')).toEqual({ count: 0 });
  const accepting = scriptedReceiver();
  const second = startWorker(world.database, accepting.send);
  await until(() => accepting.received.length === 1);
  await second.stop();
  expect(eventOf(accepting.received[0]!)).toMatchObject({ type: 'action.created', data: { id } });
});

test('an operator names one delivery or one endpoint to replay, and an id', async () => {
  const id = '0199e0f4-0000-7000-8000-000000000000';
  for (const options of [[], ['--delivery', id, '--endpoint', id], ['--delivery', 'x'], ['--endpoint', 'x']]) {
    expect(await run('webhook', 'replay', 'acme', ...options)).toMatchObject({ exitCode: 2 });
  }
});

test('an operator replaces the secret of a customer, which is shown once', async () => {
  await createCustomer(world.database, { name: 'rotated' });
  const { secret } = await json('webhook', 'rotate', 'rotated');
  expect(secret).toMatch(/^whsec_/);
  expect((await run('webhook', 'rotate', 'rotated')).output).toMatch(/^whsec_\S+\n\nStore this secret now/);
});
