import { auditCursor, listAuditEntries } from '../../src/auth/audit-log';
import type { CustomerId } from '../../src/auth/principal';
import { listApiKeys } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import {
  addApiKey,
  MAX_ACTIVE_KEYS,
  replaceApiKey,
  withdrawApiKey,
} from '../../src/customers/dashboard/manage-api-keys';
import type { TestDatabase } from '../setup/test-database';
import { dashboardWorld, pathsOf } from './dashboard-world';

const pepper = 'ab'.repeat(32);

const world = dashboardWorld();
const { by, audited, operations } = world;
let test: TestDatabase;
let customerId: CustomerId;
beforeEach(() => {
  ({ test, customerId } = world);
});

const keyDeps = () => ({ database: test.database, pepper });

describe('API keys in the dashboard', () => {
  it('a new key is shown once, and only its public part is stored and recorded', async () => {
    const { apiKey, secret } = await addApiKey(keyDeps(), by('developer'), { label: 'server' });
    expect(secret.startsWith(apiKey.prefix)).toBe(true);
    expect(await listApiKeys(test.database, customerId)).toEqual([apiKey]);
    const [entry] = await audited();
    expect(entry).toMatchObject({
      subject: 'the-developer',
      role: 'developer',
      operation: 'createApiKey',
      targetType: 'apiKey',
      targetId: apiKey.id,
      requestId: 'request-1',
    });
    expect(JSON.stringify(entry)).not.toContain(secret.slice(apiKey.prefix.length + 1));
    expect(JSON.stringify(entry)).not.toContain('server');
  });

  it('all problems of a key are reported at once', async () => {
    const given = { label: ' ', expiresAt: new Date(0).toISOString() };
    await expect(addApiKey(keyDeps(), by('owner'), given)).rejects.toMatchObject(pathsOf('label', 'expiresAt'));
    const rotation = { keyId: 'k', overlapSeconds: -1, expiresAt: new Date(0).toISOString() };
    await expect(replaceApiKey(keyDeps(), by('owner'), rotation)).rejects.toMatchObject(
      pathsOf('overlapSeconds', 'expiresAt'),
    );
    expect(await audited()).toEqual([]);
  });

  it('concurrent requests create no more active keys than a customer may have', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: MAX_ACTIVE_KEYS + 5 }, () => addApiKey(keyDeps(), by('owner'), { label: 'x' })),
    );
    const refused = attempts.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: 'API_KEY_LIMIT_REACHED' } });
    const [key] = await listApiKeys(test.database, customerId);
    await expect(replaceApiKey(keyDeps(), by('owner'), { keyId: key!.id, overlapSeconds: 60 })).rejects.toMatchObject({
      code: 'API_KEY_LIMIT_REACHED',
    });
    await replaceApiKey(keyDeps(), by('owner'), { keyId: key!.id, overlapSeconds: 0 });
    expect(await audited()).toHaveLength(MAX_ACTIVE_KEYS + 1);
  });

  it('a key expires in a year that the database and the contract write', async () => {
    const [late, last] = ['+010000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
    const given = { label: 'x', expiresAt: late };
    await expect(addApiKey(keyDeps(), by('owner'), given)).rejects.toMatchObject(pathsOf('expiresAt'));
    const { apiKey } = await addApiKey(keyDeps(), by('owner'), { label: 'x', expiresAt: last });
    expect(apiKey.expiresAt).toEqual(new Date(last));
  });

  it('a revocation is recorded once, and a revoked or foreign key is absent for a rotation', async () => {
    const { apiKey } = await addApiKey(keyDeps(), by('owner'), { label: 'x' });
    const first = await withdrawApiKey(keyDeps(), by('owner'), apiKey.id);
    expect(await withdrawApiKey(keyDeps(), by('owner'), apiKey.id)).toEqual(first);
    expect(await operations()).toEqual(['revokeApiKey', 'createApiKey']);
    const other = { ...by('owner'), customerId: (await createCustomer(test.database, { name: 'other' })).id };
    const absent = { code: 'API_KEY_NOT_FOUND' };
    await expect(replaceApiKey(keyDeps(), by('owner'), { keyId: apiKey.id, overlapSeconds: 0 })).rejects.toMatchObject(
      absent,
    );
    await expect(withdrawApiKey(keyDeps(), other, apiKey.id)).rejects.toMatchObject(absent);
    await expect(withdrawApiKey(keyDeps(), other, 'unknown')).rejects.toMatchObject(absent);
  });

  it('nothing is changed when the change cannot be recorded', async () => {
    const actor = by('owner', 'text that PostgreSQL refuses: \0');
    await expect(addApiKey(keyDeps(), actor, { label: 'x' })).rejects.toThrow();
    expect(await listApiKeys(test.database, customerId)).toEqual([]);
  });
});

describe('the audit log', () => {
  it('refuses cursors of years that the database does not have', async () => {
    const after = `0000-01-01T00:00:00Z_${customerId}`;
    await expect(listAuditEntries(test, { customerId, after })).rejects.toMatchObject(pathsOf('after'));
  });

  it('shows the changes of one customer, newest first, without gaps or repetitions between pages', async () => {
    for (const label of ['a', 'b', 'c', 'd', 'e']) await addApiKey(keyDeps(), by('owner'), { label });
    const other = { ...by('owner'), customerId: (await createCustomer(test.database, { name: 'other' })).id };
    await addApiKey(keyDeps(), other, { label: 'foreign' });
    const all = await audited();
    expect(all).toHaveLength(5);
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await listAuditEntries(test, { customerId, first: 2, after });
      seen.push(...page.entries.map(({ id }) => id));
      after = auditCursor(page.entries.at(-1)!);
      expect(page.hasNextPage).toBe(pages < 2);
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('is filtered by operation, target and user', async () => {
    const { apiKey } = await addApiKey(keyDeps(), by('owner'), { label: 'a' });
    await addApiKey(keyDeps(), by('developer'), { label: 'b' });
    await withdrawApiKey(keyDeps(), by('developer'), apiKey.id);
    const count = async (filter: object) => (await listAuditEntries(test, { customerId, ...filter })).entries.length;
    expect(await count({ operation: 'revokeApiKey' })).toBe(1);
    expect(await count({ targetId: apiKey.id })).toBe(2);
    expect(await count({ subject: 'the-developer', operation: 'createApiKey' })).toBe(1);
  });

  it('reports all problems of a request at once', async () => {
    await expect(listAuditEntries(test, { customerId, first: 0, after: 'x', subject: '' })).rejects.toMatchObject(
      pathsOf('first', 'after', 'subject'),
    );
  });
});
