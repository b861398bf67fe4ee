import type { CustomerId } from '../../src/auth/principal';
import { setFeatures, setLimits, mayBeSponsored } from '../../src/customers/customers';
import { changeFeatures, readFeatures } from '../../src/customers/dashboard/manage-features';
import { chooseLimits, readLimits } from '../../src/customers/dashboard/manage-limits';
import { addMember, MAX_MEMBERS, removeMember, setMemberRole } from '../../src/customers/dashboard/manage-members';
import { listMembers, saveMember } from '../../src/customers/members';
import type { TestDatabase } from '../setup/test-database';
import { dashboardWorld, pathsOf } from './dashboard-world';

const LIMITS = {
  openActions: 100,
  openDrafts: 100,
  openDeliveries: 100,
  registeredWallets: 100,
  watchedWallets: 100,
  actionWatches: 100,
  quoteStreams: 50,
  rateWatches: 100,
  uploadMegabytes: 80,
  sponsoredGasUsd: 100,
  completionGasUsd: 100,
  deploymentGasUsd: 100,
};

const world = dashboardWorld();
const { by, audited, operations } = world;
let test: TestDatabase;
let customerId: CustomerId;
beforeEach(() => {
  ({ test, customerId } = world);
});

const limitDeps = () => ({
  database: test.database,
  limits: LIMITS,
  rateLimit: { perMinute: 100, perHour: 1000 },
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
