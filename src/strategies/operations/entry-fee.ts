import type { CustomerId } from '../../auth/principal';
import { ENTRY_FEE, replaceEntryFee } from '../../actions/state/paid-fees';
import type { Transaction } from '../../persistence/database';
import { type ActionFees, type ExpectedCall, FEE_PROTOCOL } from '../../transactions/action-plan';
import { type ArrivedDeposit, isFeePaid } from './arrived-deposit';

type FeeOfDeposit = Pick<ArrivedDeposit, 'actionId' | 'stepIndex' | 'paidFee'>;

interface FeesOfCalls {
  readonly fees: ActionFees['breakdown'];
  /** True when the call of the deposit pays them. */
  readonly isRouted: boolean;
}

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
 * registers its calls. One that was paid is stated already.
 */
export async function saveEntryFee(
  tx: Transaction,
  { actionId, stepIndex, paidFee }: FeeOfDeposit,
  { customerId, fees }: RequestedFee,
): Promise<void> {
  if (paidFee !== undefined) return;
  // Transfers that an earlier version has issued do not say which fee they pay: it is the one that was stated until now.
  await tx.$executeRaw`
    UPDATE "ActionCall" AS call
       SET fees = (SELECT coalesce(jsonb_agg(line), '[]') FROM jsonb_array_elements(action.fees -> 'breakdown') AS line
                    WHERE line ->> 'type' = ${ENTRY_FEE})
      FROM "Action" AS action
     WHERE action.id = ${actionId}::uuid AND action."customerId" = ${customerId}::uuid AND call."actionId" = action.id
       AND call."customerId" = action."customerId" AND call."stepIndex" > ${stepIndex} AND call.fees IS NULL`;
  await replaceEntryFee(tx, { actionId, customerId, fees });
}

/**
 * The calls of a deposit with the fee that each pays: the wallet may send those of any request. A deposit without a fee states
 * that, unless one was paid before; one with a transfer of its own for the fee leaves it to that. A call of the router pays the
 * fee itself.
 */
export const withFees = (
  calls: readonly ExpectedCall[],
  { stepIndex, paidFee }: FeeOfDeposit,
  { fees, isRouted }: FeesOfCalls,
): readonly ExpectedCall[] =>
  calls.map((call) => {
    const isPayment = isRouted || call.form === 'USER_OPERATION' || call.stepIndex > stepIndex;
    return paidFee === undefined && (isPayment || fees.length === 0) ? { ...call, fees } : call;
  });
