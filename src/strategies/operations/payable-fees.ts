import { isBlocked } from '../../auth/sanctions';
import { isSameAddress } from '../../chains/addresses';
import { findRecipientProblem } from '../../quotes/request/recipient-check';
import type { OperationDeps } from './operation-deps';
import type { Charge, ChargedFee, Lending, Withdrawal } from './resolved-operation';
import { RefusedFeeError } from './simulate-operation';

/**
 * The fees that may be paid. Recipients are checked again each time, since lists and contracts change after they were set: a fee
 * to a blocked address, or to a contract where tokens are lost, is not charged. What the chain showed is cached.
 */
export async function screenFees(
  deps: Pick<OperationDeps, 'blockedAddresses' | 'findContractKind'>,
  { strategy: { chain }, signal }: Lending | Withdrawal,
  charge: Charge,
): Promise<Charge> {
  const isPayable = async ({ recipient: address }: ChargedFee): Promise<boolean> =>
    !isBlocked(deps.blockedAddresses, address) &&
    (await findRecipientProblem(deps, { chain, address }, signal)) === undefined;
  const checks = await Promise.all(charge.fees.map(isPayable));
  if (!checks.includes(false)) return charge;
  return { fees: charge.fees.filter((_, index) => checks[index] === true), waiver: 'RECIPIENT_BLOCKED' };
}

/**
 * Builds an operation with its fees, and again without those whose transfer the token refuses, as it does for recipients on its
 * blocklist: no recipient of a fee keeps a wallet from its deposit.
 */
export async function buildPayable<Built>(charge: Charge, build: (charge: Charge) => Promise<Built>): Promise<Built> {
  try {
    return await build(charge);
  } catch (error) {
    if (!(error instanceof RefusedFeeError)) throw error;
    const fees = charge.fees.filter(({ recipient }) => !isSameAddress(recipient, error.recipient));
    return buildPayable({ fees, waiver: 'RECIPIENT_REFUSED' }, build);
  }
}
