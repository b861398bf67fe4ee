import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { createSampleAction, newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { parseApiKey } from '../auth/credentials/api-key';
import type { RetentionReport } from '../persistence/retention/count-due-rows';
import { runAdmin } from './run-admin';
import { withDeployment } from './with-deployment';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

const run = (args: readonly string[], url = testDatabase.url, pepper = 'ab'.repeat(32)) =>
  runAdmin(args, (work) => withDeployment({ DATABASE_URL: url, API_KEY_PEPPER: pepper }, work));

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

test('administers a customer from creation to suspension', async () => {
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

test('gives a customer limits of its own, and takes them back', async () => {
  const { id } = await json<{ id: string }>('customer', 'create', '--name', 'limited');
  const limits = { openActions: 5, uploadMegabytes: 40, sponsoredGasUsd: 7, completionGasUsd: 8 };
  expect(
    await json(
      ...['customer', 'limit', 'limited', '--open-actions', '5', '--upload-megabytes', '40', '--per-minute', '9'],
      ...['--sponsored-gas-usd', '7', '--completion-gas-usd', '8'],
    ),
  ).toMatchObject({ id, limits, rateLimitPerMinute: 9 });
  const { output } = await run(['customer', 'limit', 'limited', '--upload-megabytes', 'default']);
  expect(output).toContain('limits of limited: openActions 5');
  const none = ['--open-actions', '--sponsored-gas-usd', '--completion-gas-usd'].flatMap((name) => [name, 'default']);
  expect(await json('customer', 'limit', id, ...none)).toMatchObject({ limits: {} });
  expect((await run(['customer', 'limit', id, '--open-drafts', '0'])).exitCode).toBe(2);
  expect((await run(['customer', 'limit', id])).exitCode).toBe(2);
  for (const megabytes of ['39', '121']) {
    const refused = await run(['customer', 'limit', id, '--upload-megabytes', megabytes]);
    expect([
      refused.exitCode,
      (await json<{ limits: object }>('customer', 'limit', id, '--per-hour', '9')).limits,
    ]).toEqual([2, {}]);
    expect(refused.errors).toContain('must be from 40 to 120');
  }
});

test('shows what the service has spent on gas, by day, chain, kind and customer', async () => {
  expect((await run(['gas', 'spending'])).output).toBe('No gas was paid.');
  const { id } = await json<{ id: string }>('customer', 'create', '--name', 'payer');
  const at = (days: number) => new Date(Date.now() - days * 86_400_000);
  for (const [index, days] of [0, 0, 3, 9].entries()) {
    const ids = { id: newCustomer(), actionId: newCustomer(), customerId: id, chainId: 8453 };
    const cost = { kind: 'completion', wei: 5, costUsd: (index + 1) / 8, createdAt: at(days) };
    await testDatabase.database.gasSpending.create({ data: { ...ids, ...cost } });
  }
  const sums = await json<object[]>('gas', 'spending');
  const dayOf = (days: number) => at(days).toISOString().slice(0, 10);
  const common = { customerId: id, customer: 'payer', chainId: '8453', kind: 'completion', unpriced: 0 };
  expect(sums).toEqual([
    { ...common, day: dayOf(0), count: 2, costUsd: '0.375000', wei: '10' },
    { ...common, day: dayOf(3), count: 1, costUsd: '0.375000', wei: '5' },
  ]);
  expect(await json('gas', 'spending', '--days', '10')).toHaveLength(3);
  expect(await json('gas', 'spending', '--days', '3')).toHaveLength(1);
  expect((await run(['gas', 'spending'])).output).toMatch(/8453 +completion +payer +2 +0 +0\.375000/);
  expect((await run(['gas', 'spending', '--days', '401'])).exitCode).toBe(2);
});

test('administers a key from creation to revocation', async () => {
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

test('administers the members of a customer', async () => {
  await json('customer', 'create', '--name', 'team');
  const created = await json('member', 'create', 'team', 'auth0|ana', '--role', 'viewer');
  expect(created).toMatchObject({ subject: 'auth0|ana', role: 'viewer', revokedAt: null });
  expect(await json('member', 'create', 'team', 'auth0|ana', '--role', 'owner')).toMatchObject({ role: 'owner' });
  const { revokedAt } = await json<{ revokedAt: string }>('member', 'revoke', 'team', 'auth0|ana');
  expect(Date.parse(revokedAt)).not.toBeNaN();
  expect(await json('member', 'list', 'team')).toMatchObject([{ subject: 'auth0|ana', role: 'owner', revokedAt }]);
  const { output } = await run(['member', 'list', 'team']);
  expect(output).toMatch(/^subject +role +created +revoked\nauth0\|ana +owner +\S+ +\d{4}-\S+$/);
  const again = await json('member', 'create', 'team', 'auth0|ana', '--role', 'developer');
  expect(again).toMatchObject({ role: 'developer', revokedAt: null });
});

test('a repeated revocation keeps the time of the first one', async () => {
  await json('customer', 'create', '--name', 'repeated');
  await json('member', 'create', 'repeated', 'auth0|ana', '--role', 'viewer');
  const first = await json('member', 'revoke', 'repeated', 'auth0|ana');
  expect(first).toMatchObject({ wasMember: true });
  expect(await json('member', 'revoke', 'repeated', 'auth0|ana')).toEqual(first);
});

test('a revocation says that the subject was no member, and refuses its access tokens all the same', async () => {
  await json('customer', 'create', '--name', 'strict');
  expect(await run(['member', 'revoke', 'strict', 'auth0|anna'])).toEqual({
    exitCode: 0,
    output: '"auth0|anna" was no member of strict; access tokens with this subject are refused from now on.',
    errors: '',
  });
  expect(await json('member', 'revoke', 'strict', 'auth0|anna')).toMatchObject({ wasMember: false });
  const [listed] = await json<{ revokedAt: string }[]>('member', 'list', 'strict');
  expect(Date.parse(listed!.revokedAt)).not.toBeNaN();
});

test('shows what waits for its removal, and the sizes of the tables', async () => {
  const deadline = new Date(Date.now() - 8 * 86_400_000);
  await createSampleAction(testDatabase.database);
  const quoteId = await sampleQuote(testDatabase.database, newCustomer());
  await testDatabase.database.quote.updateMany({ where: { id: quoteId }, data: { deadline } });
  const { rules, tables } = await json<RetentionReport>('retention', 'status');
  expect(rules.filter(({ due }) => due > 0)).toMatchObject([{ rule: 'quotes that were not executed', due: 1 }]);
  expect(tables.map(({ table }) => table)).toContain('Action');
  const { output } = await run(['retention', 'status']);
  expect(output).toMatch(/^rule +table +kept for +due rows\nquotes that were not executed +Quote +7 days +1\n/);
});

test('prints tables, and a new key on its own line', async () => {
  const customer = await run(['customer', 'create', '--name', 'readable']);
  expect(customer.output).toMatch(
    /^id +name +status +per minute +per hour +created\n\S+ +readable +active +default +default +\S+$/,
  );
  const { output } = await run(['key', 'create', 'readable']);
  expect(parseApiKey(output.split('\n')[0]!)).toBeDefined();
});

test.each([
  [['customer', 'suspend', 'absent'], 'The customer "absent" does not exist.'],
  [['key', 'create', '0197a3c0-0000-7000-8000-000000000009'], /does not exist/],
  [['key', 'revoke', 'A'.repeat(16)], `The key ${'A'.repeat(16)} does not exist.`],
])('ends with 1 when the subject of %j does not exist', async (args, problem) => {
  const { exitCode, errors } = await run(args);
  expect(exitCode).toBe(1);
  expect(errors).toMatch(problem);
});

test('warns of a name that another customer has, and then requires the id', async () => {
  const create = ['customer', 'create', '--name', 'twin', '--json'];
  const [first, second] = [await run(create), await run(create)];
  const [id, otherId] = [first, second].map(({ output }) => (JSON.parse(output) as { readonly id: string }).id);
  expect([first.exitCode, first.errors, second.exitCode]).toEqual([0, '', 0]);
  expect(second.errors).toContain(`Another customer has the name "twin": ${id!}.`);
  const { exitCode, errors } = await run(['key', 'list', 'twin']);
  expect(exitCode).toBe(1);
  for (const each of [id!, otherId!]) expect(errors).toContain(each);
});

test('rejects the rotation of a revoked key', async () => {
  const { key, id } = await json<Key>('key', 'create', 'readable');
  await run(['key', 'revoke', id]);
  const { exitCode, errors } = await run(['key', 'rotate', key]);
  expect({ exitCode, errors }).toEqual({
    exitCode: 1,
    errors: `The key ${id} is revoked or expired. Create a new key.`,
  });
});

test('lists what is in quarantine, makes it due, and discards what can never be handled', async () => {
  const pool = new Pool({ connectionString: testDatabase.url });
  await pool.query(
    `INSERT INTO "Quarantine" ("chainId", stage, item, "blockNumber", error, "nextAt")
     VALUES (1, 'block', '0xaa', 7, 'unreadable', now() + interval '1 hour')`,
  );
  await pool.end();
  expect(await json('quarantine', 'list')).toMatchObject([
    { chainId: '1', stage: 'block', item: '0xaa', blockNumber: '7', attempts: 1, error: 'unreadable' },
  ]);
  expect(await json('quarantine', 'retry')).toEqual({ count: 1 });
  const [due] = await json<{ nextAt: string }[]>('quarantine', 'list');
  expect(Date.parse(due!.nextAt)).toBe(0);
  expect((await run(['quarantine', 'discard', '0xbb'])).errors).toBe('There is no item 0xbb in quarantine.');
  expect(await json('quarantine', 'discard', '0xaa')).toEqual({ item: '0xaa', count: 1 });
  expect(await json('quarantine', 'list')).toEqual([]);
});

test('reports a database that does not respond', async () => {
  const { exitCode, errors } = await run(['customer', 'list'], 'postgresql://owner:hunter2@127.0.0.1:1/nowhere');
  expect(exitCode).toBe(1);
  expect(errors).toMatch(
    /^The database at 127\.0\.0\.1:1\/nowhere \(DATABASE_URL\) cannot be used: .*ECONNREFUSED.* correct DATABASE_URL/,
  );
  expect(errors).not.toContain('hunter2');
});

test('migrates an empty database, so that commands need no earlier start of the service', async () => {
  const empty = await createTestDatabase('template1');
  try {
    const names = ['one', 'two'];
    const created = await Promise.all(names.map((name) => run(['customer', 'create', '--name', name], empty.url)));
    expect(created.map(({ exitCode, errors }) => [exitCode, errors])).toEqual([
      [0, ''],
      [0, ''],
    ]);
  } finally {
    await empty.drop();
  }
});

test('refuses another pepper than the one of the existing keys, until it is forgotten', async () => {
  const wrong = (...args: string[]) => run(args, testDatabase.url, 'cd'.repeat(32));
  await run(['customer', 'list']);
  const { exitCode, errors } = await wrong('key', 'create', 'readable');
  expect(exitCode).toBe(1);
  expect(errors).toMatch(/^API_KEY_PEPPER differs .*npm run admin -- secret forget API_KEY_PEPPER$/);
  expect((await wrong('secret', 'forget', 'API_KEY_PEPPER')).exitCode).toBe(0);
  expect((await wrong('customer', 'list')).exitCode).toBe(0);
  expect((await run(['customer', 'list'])).exitCode).toBe(1);
  expect((await wrong('secret', 'forget', 'JWKS_URL')).errors).toBe('No fingerprint of JWKS_URL is stored.');
  await wrong('secret', 'forget', 'API_KEY_PEPPER');
});
