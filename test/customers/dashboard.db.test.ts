import { listAuditEntries, type Actor, auditCursor } from '../../src/auth/audit-log';
import type { CustomerId, Role } from '../../src/auth/principal';
import { listApiKeys } from '../../src/customers/api-keys';
import { createCustomer, setFeatures, setLimits, mayBeSponsored } from '../../src/customers/customers';
import {
  addApiKey,
  MAX_ACTIVE_KEYS,
  replaceApiKey,
  withdrawApiKey,
} from '../../src/customers/dashboard/manage-api-keys';
import { changeFeatures, readFeatures } from '../../src/customers/dashboard/manage-features';
import { chooseLimits, readLimits } from '../../src/customers/dashboard/manage-limits';
import { addMember, MAX_MEMBERS, removeMember, setMemberRole } from '../../src/customers/dashboard/manage-members';
import { listMembers, saveMember } from '../../src/customers/members';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

const pepper = 'ab'.repeat(32);
const LIMITS = {
  openActions: 100,
  openDrafts: 100,
  openDeliveries: 100,
  registeredWallets: 100,
  watchedWallets: 100,
  actionWatches: 100,
  quoteStreams: 50,
  uploadMegabytes: 80,
  sponsoredGasUsd: 100,
  completionGasUsd: 100,
  deploymentGasUsd: 100,
};

let test: TestDatabase;
let customerId: CustomerId;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  ({ id: customerId } = await createCustomer(test.database, { name: 'acme' }));
});

const by = (role: Role, subject = `the-${role}`): Actor => ({ customerId, subject, role, requestId: 'request-1' });
const keyDeps = () => ({ database: test.database, pepper });
const limitDeps = () => ({
  database: test.database,
  limits: LIMITS,
  rateLimit: { perMinute: 100, perHour: 1000 },
});
const audited = async () => (await listAuditEntries(test, { customerId, first: 100 })).entries;
const operations = async () => (await audited()).map(({ operation }) => operation);
const pathsOf = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { errors: paths.map((path) => expect.objectContaining({ path }) as object) },
});

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

describe('members in the dashboard', () => {
  const deps = () => ({ database: test.database });
  const roleOf = async (subject: string) =>
    (await listMembers(test.database, customerId)).find((member) => member.subject === subject)?.role;

  it('a member is added, gets another role and is removed; repetitions change and record nothing', async () => {
    const ana = { subject: 'ana', role: 'viewer' } as const;
    const added = await addMember(deps(), by('admin'), ana);
    expect(await addMember(deps(), by('admin'), ana)).toEqual(added);
    await expect(addMember(deps(), by('admin'), { ...ana, role: 'owner' })).rejects.toMatchObject({
      code: 'MEMBER_EXISTS',
    });
    await setMemberRole(deps(), by('owner'), { ...ana, role: 'developer' });
    await setMemberRole(deps(), by('owner'), { ...ana, role: 'developer' });
    const removed = await removeMember(deps(), by('owner'), 'ana');
    expect(removed.revokedAt).not.toBeNull();
    expect(await removeMember(deps(), by('owner'), 'ana')).toEqual(removed);
    await expect(setMemberRole(deps(), by('owner'), ana)).rejects.toMatchObject({ code: 'MEMBER_NOT_FOUND' });
    expect(await operations()).toEqual(['removeMember', 'setMemberRole', 'addMember']);
    expect((await audited())[1]!.detail).toEqual({ role: 'developer', formerRole: 'viewer' });
    expect(await addMember(deps(), by('owner'), ana)).toMatchObject({ role: 'viewer', revokedAt: null });
  });

  it('an owner neither makes nor changes users with the role admin', async () => {
    await saveMember(test.database, { customerId, subject: 'root', role: 'admin' });
    const forbidden = { code: 'FORBIDDEN' };
    await expect(addMember(deps(), by('owner'), { subject: 'eve', role: 'admin' })).rejects.toMatchObject(forbidden);
    await expect(setMemberRole(deps(), by('owner'), { subject: 'root', role: 'viewer' })).rejects.toMatchObject(
      forbidden,
    );
    await expect(removeMember(deps(), by('owner'), 'root')).rejects.toMatchObject(forbidden);
    expect(await roleOf('root')).toBe('admin');
    await expect(removeMember(deps(), by('admin'), 'root')).resolves.toMatchObject({ subject: 'root' });
  });

  it('no user changes its own access', async () => {
    const own = pathsOf('subject');
    await expect(setMemberRole(deps(), by('owner', 'me'), { subject: 'me', role: 'admin' })).rejects.toMatchObject(own);
    await expect(removeMember(deps(), by('owner', 'me'), 'me')).rejects.toMatchObject(own);
  });

  it('the last owner keeps its role and its access', async () => {
    await saveMember(test.database, { customerId, subject: 'ana', role: 'owner' });
    const last = { code: 'LAST_OWNER' };
    await expect(removeMember(deps(), by('admin'), 'ana')).rejects.toMatchObject(last);
    await expect(setMemberRole(deps(), by('admin'), { subject: 'ana', role: 'viewer' })).rejects.toMatchObject(last);
    await addMember(deps(), by('admin'), { subject: 'bob', role: 'owner' });
    await removeMember(deps(), by('admin'), 'ana');
    await expect(removeMember(deps(), by('admin'), 'bob')).rejects.toMatchObject(last);
  });

  it('of two owners that remove each other at once, one remains', async () => {
    for (const subject of ['ana', 'bob']) await saveMember(test.database, { customerId, subject, role: 'owner' });
    const attempts = await Promise.allSettled([
      removeMember(deps(), by('owner', 'ana'), 'bob'),
      removeMember(deps(), by('owner', 'bob'), 'ana'),
    ]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const members = await listMembers(test.database, customerId);
    expect(members.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  });

  it('a user whose role was taken meanwhile changes nothing', async () => {
    await saveMember(test.database, { customerId, subject: 'ana', role: 'viewer' });
    await expect(addMember(deps(), by('owner', 'ana'), { subject: 'eve', role: 'viewer' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await audited()).toEqual([]);
  });

  it('a user with access by its tokens alone can be removed', async () => {
    await removeMember(deps(), by('owner'), 'stranger');
    expect(await listMembers(test.database, customerId)).toMatchObject([{ subject: 'stranger', role: 'viewer' }]);
  });
});

describe('users whose role comes from their tokens', () => {
  const deps = () => ({ database: test.database });
  const bindsAdmin = async (subject: string) =>
    (await test.database.member.findUniqueOrThrow({ where: { customerId_subject: { customerId, subject } } }))
      .bindsAdmin;

  it('keep the role admin whatever an owner does, until an admin does the same', async () => {
    await addMember(deps(), by('owner'), { subject: 'root', role: 'viewer' });
    expect(await bindsAdmin('root')).toBe(false);
    await setMemberRole(deps(), by('owner'), { subject: 'root', role: 'developer' });
    await removeMember(deps(), by('owner'), 'root');
    await removeMember(deps(), by('owner'), 'boss');
    expect([await bindsAdmin('root'), await bindsAdmin('boss')]).toEqual([false, false]);
    // Such a user still administers the customer.
    await addMember(deps(), by('admin', 'root'), { subject: 'eve', role: 'viewer' });
    expect(await bindsAdmin('eve')).toBe(true);
    await removeMember(deps(), by('admin'), 'boss');
    await removeMember(deps(), by('admin'), 'root');
    expect([await bindsAdmin('root'), await bindsAdmin('boss')]).toEqual([true, true]);
    await expect(addMember(deps(), by('admin', 'root'), { subject: 'joe', role: 'viewer' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('are bound by a role that an admin gives again, also after an owner changed it', async () => {
    await addMember(deps(), by('owner'), { subject: 'ana', role: 'viewer' });
    await addMember(deps(), by('admin'), { subject: 'ana', role: 'viewer' });
    expect(await bindsAdmin('ana')).toBe(true);
    await setMemberRole(deps(), by('owner'), { subject: 'ana', role: 'developer' });
    expect(await bindsAdmin('ana')).toBe(true);
    await setMemberRole(deps(), by('admin'), { subject: 'ana', role: 'developer' });
    expect(await operations()).toEqual(['setMemberRole', 'addMember', 'addMember']);
  });
});

describe('the limit of members', () => {
  const deps = () => ({ database: test.database });

  it('counts members with access alone, and refuses no revocation', async () => {
    const revokedAt = new Date();
    const rows = (prefix: string, count: number, more: object) =>
      Array.from({ length: count }, (_, index) => ({
        customerId,
        subject: `${prefix}-${String(index)}`,
        role: 'viewer' as const,
        ...more,
      }));
    await test.database.member.createMany({
      data: [...rows('former', MAX_MEMBERS, { revokedAt }), ...rows('member', MAX_MEMBERS - 1, {})],
    });
    await addMember(deps(), by('admin'), { subject: 'ana', role: 'viewer' });
    for (const subject of ['bob', 'former-1'])
      await expect(addMember(deps(), by('admin'), { subject, role: 'viewer' })).rejects.toMatchObject({
        code: 'MEMBER_LIMIT_REACHED',
      });
    await expect(removeMember(deps(), by('admin'), 'stranger')).resolves.toMatchObject({ subject: 'stranger' });
    await removeMember(deps(), by('admin'), 'member-1');
    await expect(addMember(deps(), by('admin'), { subject: 'bob', role: 'viewer' })).resolves.toMatchObject({
      revokedAt: null,
    });
    // Those with access are listed first.
    const members = await listMembers(test.database, customerId);
    expect(members.slice(0, MAX_MEMBERS).every((member) => member.revokedAt === null)).toBe(true);
  });
});

describe('limits in the dashboard', () => {
  const limit = async (name: string) => (await readLimits(limitDeps(), customerId)).find((each) => each.name === name);

  it('a customer lowers its limits and restores them, and never exceeds what is granted', async () => {
    await setLimits(test.database, customerId, { openActions: 500 });
    expect(await limit('openActions')).toEqual({ name: 'openActions', granted: 500, chosen: null, maximum: 500 });
    await chooseLimits(limitDeps(), by('owner'), [
      { name: 'openActions', maximum: 20 },
      { name: 'requestsPerMinute', maximum: 5 },
    ]);
    expect(await limit('openActions')).toEqual({ name: 'openActions', granted: 500, chosen: 20, maximum: 20 });
    expect(await limit('requestsPerMinute')).toMatchObject({ granted: 100, maximum: 5 });
    await setLimits(test.database, customerId, { openActions: 10 });
    expect(await limit('openActions')).toMatchObject({ chosen: 20, maximum: 10 });
    await chooseLimits(limitDeps(), by('owner'), [{ name: 'openActions', maximum: null }]);
    expect(await limit('openActions')).toMatchObject({ chosen: null, maximum: 10 });
    await chooseLimits(limitDeps(), by('owner'), [
      { name: 'openActions', maximum: null },
      { name: 'requestsPerMinute', maximum: 5 },
    ]);
    expect((await audited()).map(({ detail }) => detail)).toEqual([
      { openActions: null },
      { openActions: 20, requestsPerMinute: 5 },
    ]);
  });

  it('all problems of the limits are reported at once', async () => {
    const choices = [
      { name: 'openActions', maximum: 101 },
      { name: 'unknown', maximum: 1 },
      { name: 'uploadMegabytes', maximum: 1 },
      { name: 'openActions', maximum: 1 },
      { name: 'openDrafts', maximum: 0 },
    ];
    await expect(chooseLimits(limitDeps(), by('owner'), choices)).rejects.toMatchObject(
      pathsOf('limits.0.maximum', 'limits.1.name', 'limits.2.maximum', 'limits.3.name', 'limits.4.maximum'),
    );
    await expect(chooseLimits(limitDeps(), by('owner'), [])).rejects.toMatchObject(pathsOf('limits'));
    expect(await audited()).toEqual([]);
  });
});

describe('features in the dashboard', () => {
  it('a customer opts in to the secondary ramp, and pauses sponsored fees that the operator grants', async () => {
    const deps = { database: test.database };
    await changeFeatures(deps, by('owner'), { secondaryRamp: true });
    expect(await mayBeSponsored(deps, customerId)).toBe(false);
    await setFeatures(test.database, customerId, { feeSponsorship: true });
    expect(await mayBeSponsored(deps, customerId)).toBe(true);
    await changeFeatures(deps, by('owner'), { feeSponsorshipPaused: true });
    expect(await mayBeSponsored(deps, customerId)).toBe(false);
    expect(await readFeatures(deps, customerId)).toEqual({
      secondaryRamp: true,
      feeSponsorshipGranted: true,
      feeSponsorshipPaused: true,
    });
    const recorded = await audited();
    await changeFeatures(deps, by('owner'), { secondaryRamp: true, feeSponsorshipPaused: true });
    expect(await audited()).toEqual(recorded);
    await expect(changeFeatures(deps, by('owner'), {})).rejects.toMatchObject(pathsOf('secondaryRamp'));
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
