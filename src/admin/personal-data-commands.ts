import { z } from 'zod';
import { erasePeople, exportPeople } from '../kyc/personal-data';
import type { PersonalDataVault } from '../persistence/personal-data';
import { AdminProblem } from './admin-problem';
import { type AdminDeps, type Command, defineCommand } from './command';
import { findCustomer, requireFound } from './find-customer';
import { MISSING, requiredText } from './option-values';
import { renderTable } from './render-table';

const ALL = 'all';
const person = z
  .union([z.literal(ALL), z.guid()], {
    error: ({ input }) => (input === undefined ? MISSING : 'must be an id, or "all"'),
  })
  .transform((given) => (given === ALL ? undefined : given));

const exportData = defineCommand({
  name: 'customer export',
  summary: "Exports the personal data of a customer's people as JSON.",
  positionals: ['customer'],
  options: { 'kyc-user': 'id of one person; default: all people' },
  input: z.object({ customer: requiredText, 'kyc-user': person.optional() }),
  async run(deps, { customer, 'kyc-user': kycUserId }) {
    const { id: customerId } = await findCustomer(deps.database, customer);
    const people = await exportPeople({ database: deps.database, vault: vaultOf(deps) }, { customerId, kycUserId });
    if (kycUserId !== undefined) requireFound(people[0], `The customer has no person ${kycUserId}.`);
    const data = { customerId, people };
    return { data, text: JSON.stringify(data, undefined, 2) };
  },
});

const eraseData = defineCommand({
  name: 'customer erase',
  summary: "Erases the personal data of a customer's people. This cannot be undone.",
  positionals: ['customer'],
  options: { 'kyc-user': 'id of one person, or "all"' },
  input: z.object({ customer: requiredText, 'kyc-user': person }),
  async run(deps, { customer, 'kyc-user': kycUserId }) {
    const { database, responseSealer } = deps;
    const { id: customerId } = await findCustomer(database, customer);
    vaultOf(deps); // without these keys the stored responses could not be read, and would not be erased
    const erasures = await erasePeople({ database, responseSealer }, { customerId, kycUserId });
    if (kycUserId !== undefined) requireFound(erasures[0], `The customer has no person ${kycUserId}.`);
    const rows = erasures.map((one) => [one.kycUserId, one.erased ? 'erased' : 'not erased: a payment is in progress']);
    return { data: erasures, text: renderTable([['person', 'outcome'], ...rows]) };
  },
});

export const PERSONAL_DATA_COMMANDS: readonly Command[] = [exportData, eraseData];

function vaultOf({ vault }: AdminDeps): PersonalDataVault {
  if (vault !== undefined) return vault;
  throw new AdminProblem(
    ['PERSONAL_DATA_KEYS and BLIND_INDEX_KEY of the deployment are not set. Set both and retry.'],
    'failure',
  );
}
