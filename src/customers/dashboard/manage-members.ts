import { z } from 'zod';
import { type Actor, recordAudit } from '../../auth/audit-log';
import { type Role, ROLES } from '../../auth/principal';
import { isBinding } from '../../auth/credentials/credential-store';
import { hasPermission, isAtLeast } from '../../auth/roles';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { Database, Transaction } from '../../persistence/database';
import { parseParameters } from '../customers';
import { type Member, revokeMember, saveMember, subjectSchema } from '../members';
import { lockCustomer } from '../../auth/lock-customer';

/** Members with access. */
export const MAX_MEMBERS = 500;

export interface ManageMembersDeps {
  readonly database: Database;
}

export interface MemberChange {
  /** Claim `sub` of the user's access tokens. */
  readonly subject: string;
  readonly role: Role;
}

const changeSchema = z.object({ subject: subjectSchema, role: z.enum(ROLES) });
const targetOf = (subject: string) => ({ targetType: 'member', targetId: subject }) as const;

/**
 * Gives a user access with a role, also one whose access was taken. Idempotent.
 *
 * @throws VALIDATION_ERROR; MEMBER_EXISTS with another role; MEMBER_LIMIT_REACHED; FORBIDDEN for a stronger role
 */
export const addMember = ({ database }: ManageMembersDeps, actor: Actor, given: MemberChange): Promise<Member> =>
  changeMember({ database }, { actor, given }, async ({ tx, change, existing, bindsAdmin, isBound, mayManage }) => {
    mayManage(change.role);
    const isActive = existing?.revokedAt === null;
    if (isActive && existing.role !== change.role) throw serviceError('MEMBER_EXISTS', { role: existing.role });
    if (isActive && isBound) return withoutMark(existing);
    if (!isActive) await assertMemberLimit(tx, actor);
    const detail = { role: change.role };
    await recordAudit(tx, actor, { operation: 'addMember', ...targetOf(change.subject), detail });
    return saveMember(tx, { customerId: actor.customerId, ...change, bindsAdmin });
  });

/**
 * Changes the role of a member. Idempotent.
 *
 * @throws VALIDATION_ERROR, also for the own role; MEMBER_NOT_FOUND; LAST_OWNER; FORBIDDEN where the former or the new role is
 *   stronger than the own one
 */
export const setMemberRole = ({ database }: ManageMembersDeps, actor: Actor, given: MemberChange): Promise<Member> =>
  changeMember({ database }, { actor, given }, async ({ tx, change, existing, bindsAdmin, isBound, mayManage }) => {
    mayManage(change.role);
    if (existing === undefined || existing.revokedAt !== null) throw serviceError('MEMBER_NOT_FOUND');
    mayManage(existing.role);
    if (existing.role === change.role && isBound) return withoutMark(existing);
    if (existing.role === 'owner' && change.role !== 'owner') await assertOtherOwner(tx, actor, change.subject);
    const detail = { role: change.role, formerRole: existing.role };
    await recordAudit(tx, actor, { operation: 'setMemberRole', ...targetOf(change.subject), detail });
    return saveMember(tx, { customerId: actor.customerId, ...change, bindsAdmin });
  });

/**
 * Takes the access of a user, within 5 s. Also of one whose access comes from its tokens alone; by an owner, tokens with the
 * role `admin` keep it. No limit prevents it. Idempotent.
 *
 * @throws VALIDATION_ERROR, also for the own access; LAST_OWNER; FORBIDDEN where its role is stronger than the own one
 */
export const removeMember = ({ database }: ManageMembersDeps, actor: Actor, subject: string): Promise<Member> =>
  changeMember({ database }, { actor, given: { subject, role: 'viewer' } }, async (decision) => {
    const { tx, existing, bindsAdmin, isBound, mayManage } = decision;
    const { customerId } = actor;
    const isRevoked = existing !== undefined && existing.revokedAt !== null;
    if (isRevoked && isBound) return withoutMark(existing);
    if (existing !== undefined && !isRevoked) mayManage(existing.role);
    if (existing?.role === 'owner' && !isRevoked) await assertOtherOwner(tx, actor, subject);
    await recordAudit(tx, actor, { operation: 'removeMember', ...targetOf(subject) });
    const { role, createdAt, revokedAt } = await revokeMember(tx, { customerId, subject, bindsAdmin });
    return { subject, role, createdAt, revokedAt };
  });

/** A member with the mark of whether an `admin` or the operator wrote it. */
type MarkedMember = Member & { readonly bindsAdmin: boolean };

const withoutMark = ({ subject, role, createdAt, revokedAt }: Member): Member => ({
  subject,
  role,
  createdAt,
  revokedAt,
});

interface MemberDecision {
  readonly tx: Transaction;
  readonly change: MemberChange;
  readonly existing: MarkedMember | undefined;
  /** True when the change also applies to a user whose tokens have the role `admin`, which is unknown here. */
  readonly bindsAdmin: boolean;
  /** True when the stored row already applies to all the users that the change applies to. */
  readonly isBound: boolean;
  /** @throws FORBIDDEN for a role that is stronger than the own one */
  readonly mayManage: (role: Role) => void;
}

/** Decides about a member while no other change of the customer runs. */
async function changeMember(
  { database }: ManageMembersDeps,
  { actor, given }: { readonly actor: Actor; readonly given: MemberChange },
  decide: (decision: MemberDecision) => Promise<Member>,
): Promise<Member> {
  const change = parseParameters(changeSchema, given);
  const { subject } = change;
  if (subject === actor.subject)
    throw validationError([{ path: 'subject', message: 'must be another user: users cannot change their own access' }]);
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, actor.customerId);
    const ownRole = await currentRole(tx, actor);
    const mayManage = (role: Role): void => {
      if (isAtLeast(ownRole, role)) return;
      throw serviceError('FORBIDDEN', { reason: `the role ${ownRole} may not manage users with the role ${role}` });
    };
    const existing = await findMember(tx, actor, subject);
    const bindsAdmin = ownRole === 'admin';
    const isBound = existing?.bindsAdmin === true || !bindsAdmin;
    return decide({ tx, change, existing, bindsAdmin, isBound, mayManage });
  });
}

/** The credential was checked up to 5 s ago: meanwhile another user may have taken the access. @throws FORBIDDEN */
async function currentRole(tx: Transaction, actor: Actor): Promise<Role> {
  const stored = await findMember(tx, actor, actor.subject);
  const own = stored !== undefined && isBinding(stored, actor.role) ? stored : undefined;
  if (own !== undefined && own.revokedAt !== null)
    throw serviceError('FORBIDDEN', { reason: 'the access of this user is revoked' });
  const role = own?.role ?? actor.role;
  if (hasPermission(role, 'members:write')) return role;
  throw serviceError('FORBIDDEN', { reason: `the role ${role} is not allowed to do this` });
}

async function findMember(tx: Transaction, { customerId }: Actor, subject: string): Promise<MarkedMember | undefined> {
  const row = await tx.member.findUnique({
    where: { customerId_subject: { customerId, subject } },
    select: { subject: true, role: true, createdAt: true, revokedAt: true, bindsAdmin: true },
  });
  return row ?? undefined;
}

/** Users that are owners by their tokens alone are unknown here, and do not count. */
async function assertOtherOwner(tx: Transaction, { customerId }: Actor, subject: string): Promise<void> {
  const others = await tx.member.count({
    where: { customerId, role: 'owner', revokedAt: null, subject: { not: subject } },
  });
  if (others === 0) throw serviceError('LAST_OWNER');
}

async function assertMemberLimit(tx: Transaction, { customerId }: Actor): Promise<void> {
  const members = await tx.member.count({ where: { customerId, revokedAt: null } });
  if (members >= MAX_MEMBERS) throw serviceError('MEMBER_LIMIT_REACHED', { maximum: MAX_MEMBERS });
}
