import { createApiClient } from '../../scripts/demo/api-client';
import {
  approvedPerson as approve,
  type Dollars,
  type NewPerson,
  unlockedDollars,
} from '../../scripts/demo/approved-person';
import { customerNamed, runningService } from '../setup/running-service';

export interface OfCustomer {
  /** The customer of the person. Default: `load`, which has high rate limits. */
  readonly customer?: 'demo' | 'other' | 'load';
}

const clientOf = ({ customer = 'load' }: OfCustomer) => {
  const service = runningService();
  return createApiClient(service.baseUrl, customerNamed(service, customer).apiKey);
};

/**
 * Verifies a person at the running service over HTTP, and returns the `kycUserId`. Takes two to four seconds, or none
 * when the person is already approved. Only for `*.http.test.ts`.
 *
 * - `approvedPerson({ walletAddress })`: approved by the primary ramp. The wallet (EVM or Solana) can quote and pay.
 * - `rampProvider: 'secondary'`: approved by the secondary ramp, which `demo` and `load` have and `other` does not.
 * - `cpf`: the tax id. Default: derived from the wallet. The same `cpf` with another wallet links that wallet too.
 */
export const approvedPerson = (person: NewPerson & OfCustomer): Promise<string> => approve(clientOf(person), person);

/**
 * From now on the emulator of the primary ramp decides about a person, and receives their deposits, by request only: `POST
 * /_control/attempts/:id` and `POST /_control/tickets/:id/pay`. Works before the first submission too.
 */
export async function holdAtPrimaryRamp(kycUserId: string): Promise<void> {
  const url = `${runningService().emulators['primaryRamp']!}/_control/holds/${kycUserId}`;
  const { status } = await fetch(url, { method: 'POST' });
  if (status !== 200) throw new Error(`the emulator does not hold the account: ${status}`);
}

/**
 * An approved person with dollars unlocked. The bank account of `BANK_FIELDS` (scripts/demo/person-evidence.ts) is saved
 * as a beneficiary for wires.
 */
export async function personWithDollars(
  person: NewPerson & OfCustomer,
): Promise<Dollars & { externalAccountId: string }> {
  const kycUserId = await approvedPerson(person);
  const { rampProvider = 'primary' } = person;
  const externalAccountId = await unlockedDollars(clientOf(person), { kycUserId, rampProvider });
  return { kycUserId, rampProvider, externalAccountId };
}
