import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { parseApiKey } from '../auth/api-key';
import { runAdmin } from './run-admin';
import { withDeployment } from './with-deployment';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

const run = (args: readonly string[], url = testDatabase.url) =>
  runAdmin(args, (work) => withDeployment({ DATABASE_URL: url, API_KEY_PEPPER: 'ab'.repeat(32) }, work));

async function json<Result>(...args: string[]): Promise<Result> {
  const { exitCode, output, errors } = await run([...args, '--json']);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return JSON.parse(output) as Result;
}

interface Key {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

test('takes a customer through its life', async () => {
  const created = await json<{ id: string }>('customer', 'create', '--name', 'acme', '--per-minute', '7');
  expect(created).toMatchObject({ name: 'acme', status: 'ACTIVE', rateLimitPerMinute: 7, rateLimitPerHour: null });
  expect(await json('customer', 'suspend', 'acme')).toMatchObject({ id: created.id, status: 'SUSPENDED' });
  expect(await json('customer', 'activate', created.id)).toMatchObject({ status: 'ACTIVE' });
  expect(await json('customer', 'limit', 'acme', '--per-minute', 'default', '--per-hour', '9')).toMatchObject({
    rateLimitPerMinute: null,
    rateLimitPerHour: 9,
  });
  expect(await json('customer', 'list')).toMatchObject({ data: [{ id: created.id }], pagination: { total: 1 } });
});

test('takes a key through its life', async () => {
  await json('customer', 'create', '--name', 'keys');
  const created = await json<Key>('key', 'create', 'keys', '--label', 'server', '--expires-in', '90d');
  expect(parseApiKey(created.key)?.id).toBe(created.id);
  expect(Date.parse(created.expiresAt!)).toBeGreaterThan(Date.now() + 89 * 86_400_000);
  const rotated = await json<Key>('key', 'rotate', `sk_live_${created.id}`, '--overlap', '1h');
  expect(rotated).toMatchObject({ label: 'server', expiresAt: null });
  expect(await json('key', 'revoke', rotated.key)).toMatchObject({
    id: rotated.id,
    revokedAt: expect.any(String) as string,
  });
  const listed = await json<Key[]>('key', 'list', 'keys');
  expect(listed.map(({ id, revokedAt }) => [id, revokedAt !== null])).toEqual([
    [rotated.id, true],
    [created.id, false],
  ]);
  expect(Date.parse(listed[1]!.expiresAt!)).toBeLessThan(Date.now() + 3_600_001);
  expect(JSON.stringify(listed)).not.toContain(parseApiKey(created.key)!.secret);
});

test('speaks to people in tables, and shows a new key on a line of its own', async () => {
  const customer = await run(['customer', 'create', '--name', 'readable']);
  expect(customer.output).toMatch(
    /^id +name +status +per minute +per hour +created\n\S+ +readable +active +default +default +\S+$/,
  );
  const { output } = await run(['key', 'create', 'readable']);
  expect(parseApiKey(output.split('\n')[0]!)).toBeDefined();
});

test.each([
  [['customer', 'suspend', 'nobody'], 'The customer "nobody" does not exist.'],
  [['key', 'create', '0197a3c0-0000-7000-8000-000000000009'], /does not exist/],
  [['key', 'revoke', 'A'.repeat(16)], `The key ${'A'.repeat(16)} does not exist.`],
])('ends with 1 when what %j is about does not exist', async (args, problem) => {
  const { exitCode, errors } = await run(args);
  expect(exitCode).toBe(1);
  expect(errors).toMatch(problem);
});

test('asks for the id when a name is not enough', async () => {
  const twins = [
    await json<Key>('customer', 'create', '--name', 'twin'),
    await json<Key>('customer', 'create', '--name', 'twin'),
  ];
  const { exitCode, errors } = await run(['key', 'list', 'twin']);
  expect(exitCode).toBe(1);
  for (const { id } of twins) expect(errors).toContain(id);
});

test('refuses to rotate a key that is revoked', async () => {
  const { key, id } = await json<Key>('key', 'create', 'readable');
  await run(['key', 'revoke', id]);
  const { exitCode, errors } = await run(['key', 'rotate', key]);
  expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: `The key ${id} is no longer in force.` });
});

test('says so when the database does not answer', async () => {
  const { exitCode, errors } = await run(['customer', 'list'], 'postgresql://nobody@127.0.0.1:1/nowhere');
  expect(exitCode).toBe(1);
  expect(errors).toMatch(/^The database does not answer: .*ECONNREFUSED.*Is the service running\?$/);
});
