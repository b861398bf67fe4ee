import { z } from 'zod';
import { ROLES } from '../auth/principal';
import { listMembers, type Member, revokeMember, saveMember } from '../customers/members';
import { type Command, type CommandOutput, defineCommand } from './command';
import { findCustomer } from './find-customer';
import { MISSING, requiredText } from './option-values';
import { renderTable } from './render-table';

const role = z.enum(ROLES, {
  error: ({ input }) => (input === undefined ? MISSING : `must be one of ${ROLES.join(', ')}`),
});

const create = defineCommand({
  name: 'member create',
  summary: 'Gives a user a role at a customer, or changes it, within 5 seconds.',
  positionals: ['customer', 'subject'],
  options: { role: `${ROLES.join(', ')}: replaces the role of the user's access tokens` },
  input: z.object({ customer: requiredText, subject: requiredText, role }),
  async run({ database }, { customer, ...member }) {
    const { id: customerId } = await findCustomer(database, customer);
    const saved = await saveMember(database, { customerId, ...member });
    return reportOf([saved], saved);
  },
});

const list = defineCommand({
  name: 'member list',
  summary: 'Lists the users with a role at a customer, oldest first.',
  positionals: ['customer'],
  options: {},
  input: z.object({ customer: requiredText }),
  async run({ database }, { customer }) {
    const members = await listMembers(database, (await findCustomer(database, customer)).id);
    return reportOf(members, members);
  },
});

const revoke = defineCommand({
  name: 'member revoke',
  summary: 'Refuses the access tokens of a user at a customer, within 5 seconds.',
  positionals: ['customer', 'subject'],
  options: {},
  input: z.object({ customer: requiredText, subject: requiredText }),
  async run({ database }, { customer, subject }) {
    const { id: customerId, name } = await findCustomer(database, customer);
    const revoked = await revokeMember(database, { customerId, subject });
    if (revoked.wasMember) return reportOf([revoked], revoked);
    const notice = `"${subject}" was no member of ${name}; access tokens with this subject are refused from now on.`;
    return { data: revoked, text: notice };
  },
});

export const MEMBER_COMMANDS: readonly Command[] = [create, list, revoke];

function reportOf(members: readonly Member[], data: unknown): CommandOutput {
  const rows = members.map((member) => [
    member.subject,
    member.role,
    member.createdAt.toISOString(),
    member.revokedAt?.toISOString() ?? '-',
  ]);
  return { data, text: renderTable([['subject', 'role', 'created', 'revoked'], ...rows]) };
}
