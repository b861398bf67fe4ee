import { storedFees } from '../../actions/action-row';
import type { CustomerId } from '../../auth/principal';
import { formatUsdPadded, parseUsd, sumUsd, toMicroUsd } from '../../money/usd';
import type { Transaction } from '../../persistence/database';
import type { ActionFees } from '../../transactions/action-plan';
import type { ArrivedDeposit } from './arrived-deposit';

interface PaidEntryFee {
  readonly customerId: CustomerId;
  /** Empty when none is paid any more. */
  readonly fees: ActionFees['breakdown'];
}

/**
 * Stores the entry fee of the deposit of delivered tokens in place of the one that was expected when the action was created, and in
 * the transaction that registers its calls. When it is paid no more, the deposit alone ends the action, whichever form was
 * requested before.
 */
export async function saveEntryFee(
  tx: Transaction,
  { actionId, stepIndex }: Pick<ArrivedDeposit, 'actionId' | 'stepIndex'>,
  { customerId, fees }: PaidEntryFee,
): Promise<void> {
  const where = { id: actionId, customerId };
  const action = await tx.action.findFirstOrThrow({ where, select: { fees: true } });
  const others = storedFees.parse(action.fees).breakdown.filter(({ type }) => type !== 'platform');
  const breakdown = [...others, ...fees].map((each) => ({ ...each }));
  const total = formatUsdPadded(sumUsd(breakdown.map(({ amount }) => parseUsd(amount) ?? toMicroUsd(0n))));
  await tx.action.updateMany({ where, data: { fees: { total, currency: 'USD', breakdown } } });
  if (fees.length > 0) return;
  // The transfer of the fee follows the deposit.
  await tx.actionCall.deleteMany({
    where: { actionId, customerId, stepIndex: { gt: stepIndex }, status: 'PENDING' },
  });
}
