import { createApiClient } from '../../scripts/demo/api-client';
import {
  approvedPerson as approve,
  type Dollars,
  type NewPerson,
  unlockedDollars,
} from '../../scripts/demo/approved-person';
import { customerNamed, runningService } from '../setup/running-service';

/** The customer that people are people of; `load`, whose rate limits are out of the way, when not given. */
export interface OfCustomer {
  readonly customer?: 'demo' | 'other' | 'load';
}

const clientOf = ({ customer = 'load' }: OfCustomer) => {
  const service = runningService();
  return createApiClient(service.baseUrl, customerNamed(service, customer).apiKey);
};

/**
 * A person of the running service whom a ramp has approved, verified over HTTP like any other, in two to four seconds; at
 * once when they are approved already. For `*.http.test.ts` alone.
 *
 * - `approvedPerson({ walletAddress })`: at the primary ramp. The wallet (EVM or Solana) may quote and pay then.
 * - `rampProvider: 'secondary'`: at the secondary one; `demo` and `load` are opted into it, `other` is not.
 * - `cpf`: who it is. Without it one that goes with the wallet; the same one with another wallet links that one too.
 *
 * Resolves to the `kycUserId`.
 */
export const approvedPerson = (person: NewPerson & OfCustomer): Promise<string> => approve(clientOf(person), person);

/**
 * `approvedPerson`, who may move dollars too: the bank account of `BANK_FIELDS` (scripts/demo/person-evidence.ts) is
 * saved, to be paid out to by wire.
 */
export async function personWithDollars(
  person: NewPerson & OfCustomer,
): Promise<Dollars & { externalAccountId: string }> {
  const kycUserId = await approvedPerson(person);
  const { rampProvider = 'primary' } = person;
  const externalAccountId = await unlockedDollars(clientOf(person), { kycUserId, rampProvider });
  return { kycUserId, rampProvider, externalAccountId };
}
