import { z } from 'zod';
import { erasePeople, exportPeople } from '../kyc/personal-data';
import type { PersonalDataVault } from '../persistence/personal-data';
import { AdminProblem } from './admin-problem';
import { type AdminDeps, type Command, defineCommand } from './command';
import { customerNamed, existing } from './look-up';
import { MISSING, text } from './option-values';
import { renderTable } from './render-table';

const ALL = 'all';
const person = z
  .union([z.literal(ALL), z.uuid()], {
    error: ({ input }) => (input === undefined ? MISSING : 'must be an id, or "all"'),
  })
  .transform((given) => (given === ALL ? undefined : given));

const exportData = defineCommand({
  name: 'customer export',
  summary: "Shows, as JSON, everything that is kept of a customer's people. Personal data.",
  positionals: ['customer'],
  options: { 'kyc-user': 'id of one person; default: all of them' },
  input: z.object({ customer: text, 'kyc-user': person.optional() }),
  async run(deps, { customer, 'kyc-user': kycUserId }) {
    const { id: customerId } = await customerNamed(deps.db, customer);
    const people = await exportPeople({ database: deps.db, vault: vaultOf(deps) }, { customerId, kycUserId });
    if (kycUserId !== undefined) existing(people[0], `The customer has no person ${kycUserId}.`);
    const data = { customerId, people };
    return { data, text: JSON.stringify(data, undefined, 2) };
  },
});

const eraseData = defineCommand({
  name: 'customer erase',
  summary: "Erases what is kept of a customer's people. It cannot be undone.",
  positionals: ['customer'],
  options: { 'kyc-user': 'id of one person, or "all"' },
  input: z.object({ customer: text, 'kyc-user': person }),
  async run(deps, { customer, 'kyc-user': kycUserId }) {
    const { db, answers } = deps;
    const { id: customerId } = await customerNamed(db, customer);
    vaultOf(deps); // without its keys answers could not be read, and would be left
    const erasures = await erasePeople({ database: db, answers }, { customerId, kycUserId });
    if (kycUserId !== undefined) existing(erasures[0], `The customer has no person ${kycUserId}.`);
    const rows = erasures.map((one) => [one.kycUserId, one.erased ? 'erased' : 'kept: money is under way']);
    return { data: erasures, text: renderTable([['person', 'outcome'], ...rows]) };
  },
});

export const PERSONAL_DATA_COMMANDS: readonly Command[] = [exportData, eraseData];

function vaultOf({ vault }: AdminDeps): PersonalDataVault {
  if (vault !== undefined) return vault;
  throw new AdminProblem(['PERSONAL_DATA_KEYS and BLIND_INDEX_KEY of the deployment are not set.'], 'failure');
}
