import { z } from 'zod';
import { type CustomerId, type Role, ROLES } from '../auth/principal';
import type { PrismaClient } from '../persistence/client/client';
import { parseParameters } from './customers';

/** A user of a customer's dashboard. */
export interface Member {
  /** Claim `sub` of the user's access tokens. */
  readonly subject: string;
  /** Replaces the role of the access tokens. */
  readonly role: Role;
  readonly createdAt: Date;
  /** Since when the user's access tokens are refused; `null` for a member with access. */
  readonly revokedAt: Date | null;
}

interface MemberReference {
  readonly customerId: CustomerId;
  readonly subject: string;
  /** True for a change by an `admin` or by the operator, which also binds users whose tokens have the role `admin`. */
  readonly bindsAdmin?: boolean | undefined;
}

export type MemberTable = Pick<PrismaClient, 'member'>;

/** The columns of a `Member`. */
const COLUMNS = { subject: true, role: true, createdAt: true, revokedAt: true } as const;

/** OpenID Connect limits subjects to 255 characters. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');
const memberSchema = z.object({ customerId: z.string(), subject: subjectSchema, role: z.enum(ROLES) });

/** Gives a user a role at a customer, or changes it, within 5 s. A revoked user has access again. @throws VALIDATION_ERROR */
export async function saveMember(
  { member }: MemberTable,
  parameters: MemberReference & { readonly role: Role },
): Promise<Member> {
  const { customerId, subject, role } = parseParameters(memberSchema, parameters);
  const { bindsAdmin = true } = parameters;
  return member.upsert({
    where: { customerId_subject: { customerId, subject } },
    create: { customerId, subject, role, bindsAdmin },
    update: { role, revokedAt: null, ...(bindsAdmin ? { bindsAdmin } : {}) },
    select: COLUMNS,
  });
}

/** The members of a customer: those with access, oldest first, then the revoked ones. At most 1,000. */
export const listMembers = ({ member }: MemberTable, customerId: CustomerId): Promise<readonly Member[]> =>
  member.findMany({
    where: { customerId },
    select: COLUMNS,
    orderBy: [{ revokedAt: { sort: 'asc', nulls: 'first' } }, { createdAt: 'asc' }, { subject: 'asc' }],
    take: 1000,
  });

/** A user whose access tokens are refused. */
interface RevokedMember extends Member {
  /** False when the user never had a role at the customer: access by a token alone, or a mistyped subject. */
  readonly wasMember: boolean;
}

/**
 * Refuses the access tokens of a user at a customer, within 5 s. Also for a user who was no member before. A repeated call
 * keeps the time of the first one. @throws VALIDATION_ERROR
 */
export async function revokeMember({ member }: MemberTable, reference: MemberReference): Promise<RevokedMember> {
  const { customerId, subject, role } = parseParameters(memberSchema, { ...reference, role: 'viewer' });
  const { bindsAdmin = true } = reference;
  const now = new Date();
  const data = [{ customerId, subject, role, createdAt: now, revokedAt: now, bindsAdmin }];
  await member.createMany({ data, skipDuplicates: true });
  await member.updateMany({ where: { customerId, subject, revokedAt: null }, data: { revokedAt: now } });
  if (bindsAdmin) await member.updateMany({ where: { customerId, subject, bindsAdmin: false }, data: { bindsAdmin } });
  const where = { customerId_subject: { customerId, subject } };
  const revoked = await member.findUniqueOrThrow({ where, select: COLUMNS });
  // A row that a revocation has created has the same time twice.
  return { ...revoked, wasMember: revoked.createdAt.getTime() !== revoked.revokedAt?.getTime() };
}
