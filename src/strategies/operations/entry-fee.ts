import type { CustomerId } from '../../auth/principal';
import { replaceEntryFee } from '../../actions/state/paid-fees';
import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import { type ActionFees, type ExpectedCall, FEE_PROTOCOL } from '../../transactions/action-plan';
import { type ArrivedDeposit, isFeePaid } from './arrived-deposit';

type FeeOfDeposit = Pick<ArrivedDeposit, 'actionId' | 'stepIndex' | 'paidFee'>;

/** False when the transfer of a fee was mined, or lost by its chain, since the deposit was read. The action is locked. */
export async function isFeeUnchanged(
  tx: Transaction,
  { actionId, paidFee }: FeeOfDeposit,
  customerId: CustomerId,
): Promise<boolean> {
  const where = { actionId, customerId, protocol: FEE_PROTOCOL };
  const steps = await tx.actionStep.findMany({ where, select: { status: true, reverted: true } });
  return steps.some(isFeePaid) === (paidFee !== undefined);
}

interface RequestedFee {
  readonly customerId: CustomerId;
  /** Empty when none is paid any more. */
  readonly fees: ActionFees['breakdown'];
}

/**
 * Stores the entry fee of the deposit of delivered tokens in place of the one that was stated before, in the transaction that
 * registers its calls. One that was paid is stated already. Calls of an earlier version state no fee: when none is due any more, their
 * transfers of it are removed, so that the deposit alone ends the action.
 */
export async function saveEntryFee(
  tx: Transaction,
  { actionId, stepIndex, paidFee }: FeeOfDeposit,
  { customerId, fees }: RequestedFee,
): Promise<void> {
  if (paidFee !== undefined) return;
  await replaceEntryFee(tx, { actionId, customerId, fees });
  if (fees.length > 0) return;
  await tx.actionCall.deleteMany({
    where: { actionId, customerId, stepIndex: { gt: stepIndex }, status: 'PENDING', fees: { equals: Prisma.DbNull } },
  });
}

/**
 * The calls of a deposit with the fee that each pays: the wallet may send those of any request. A deposit without a fee states
 * that, unless one was paid before; one with a transfer of its own for the fee leaves it to that.
 */
export const withFees = (
  calls: readonly ExpectedCall[],
  { stepIndex, paidFee }: FeeOfDeposit,
  fees: ActionFees['breakdown'],
): readonly ExpectedCall[] =>
  calls.map((call) => {
    const isPayment = call.form === 'USER_OPERATION' || call.stepIndex > stepIndex;
    return paidFee === undefined && (isPayment || fees.length === 0) ? { ...call, fees } : call;
  });
