import { isBlocked } from '../../auth/sanctions';
import { isSameAddress } from '../../chains/addresses';
import { findRecipientProblem } from '../../quotes/request/recipient-check';
import { lendingProblemError } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import type { Charge, ChargedFee, FeeWaiver, Lending, Withdrawal } from './resolved-operation';
import { RefusedFeeError } from './simulate-strategy-operation';

/**
 * The fees that may be paid. Recipients are checked again each time, since lists and contracts change after they were set: a fee
 * to a blocked address, or to a contract where tokens are lost, is not charged. What the chain showed is cached.
 */
export async function screenFees(
  deps: Pick<OperationDeps, 'blockedAddresses' | 'findContractKind' | 'positions'>,
  operation: Lending | Withdrawal,
  charge: Charge,
): Promise<Charge> {
  const { chain } = operation.strategy;
  const isPayable = async ({ recipient: address }: ChargedFee): Promise<boolean> =>
    !isBlocked(deps.blockedAddresses, address) &&
    (await findRecipientProblem(deps, { chain, address }, operation.signal)) === undefined;
  const checks = await Promise.all(charge.fees.map(isPayable));
  if (!checks.includes(false)) return charge;
  const waiver = 'RECIPIENT_BLOCKED';
  for (const { recipient } of charge.fees.filter((_, index) => checks[index] !== true))
    logWaiver(deps, operation, { waiver, recipient });
  return { fees: charge.fees.filter((_, index) => checks[index] === true), waiver };
}

/** A waived fee is no error for the wallet: only the log shows the operator that it is not earned. */
export function logWaiver(
  { positions: { log } }: Pick<OperationDeps, 'positions'>,
  { customerId, actionId, strategy }: Lending | Withdrawal,
  { waiver, recipient }: { readonly waiver: FeeWaiver; readonly recipient?: string },
): void {
  const strategyId = strategy.row.id;
  log.warn({ customerId, actionId, strategyId, reason: waiver, recipient }, 'a fee of a strategy is waived');
}

interface PayableOperation {
  readonly deps: Pick<OperationDeps, 'positions'>;
  readonly operation: Lending | Withdrawal;
}

/**
 * Builds an operation with its fees, and again without those whose transfer the token refuses, as it does for recipients on its
 * blocklist: no recipient of a fee keeps a wallet from its deposit.
 */
export async function buildPayable<Built>(
  payable: PayableOperation,
  charge: Charge,
  build: (charge: Charge) => Promise<Built>,
): Promise<Built> {
  try {
    return await build(charge);
  } catch (error) {
    if (!(error instanceof RefusedFeeError)) throw error;
    const fees = charge.fees.filter(({ recipient }) => !isSameAddress(recipient, error.recipient));
    // A market may return the error of the router, with any address.
    if (fees.length === charge.fees.length)
      throw lendingProblemError({ kind: 'REVERTED', message: `the operation would revert: ${error.message}` });
    const waiver = 'RECIPIENT_REFUSED';
    logWaiver(payable.deps, payable.operation, { waiver, recipient: error.recipient });
    return buildPayable(payable, { fees, waiver }, build);
  }
}
