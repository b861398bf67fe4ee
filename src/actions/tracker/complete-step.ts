import type { Database, Transaction } from '../../persistence/database';
import { changeSubstatus, transition } from '../transition';
import type { SubmittedStep } from './submitted-steps';

/** What really moved, in base units; `undefined` keeps what was promised. */
export interface MovedAmounts {
  readonly spent: bigint | undefined;
  readonly received: bigint | undefined;
}

/** Ends a step whose transaction is final. The last one ends the action with what really arrived. */
export async function completeStep(database: Database, step: SubmittedStep, moved: MovedAmounts): Promise<void> {
  await database.$transaction(async (tx) => {
    const { actionId, stepIndex, txHash, blockHash } = step;
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', blockHash },
      data: { status: 'CONFIRMED' },
    });
    if (count === 0) return; // another replica was first
    const next = await nextStep(tx, actionId);
    const detail = { stepIndex, txHash };
    if (next !== undefined) {
      const substatus = next.operator === 'USER' ? 'DESTINATION_MINT_REQUIRED' : 'WAITING_DESTINATION';
      await changeSubstatus(tx, actionId, { substatus, detail });
      return;
    }
    await saveAmounts(tx, actionId, moved);
    await transition(tx, actionId, { edge: 'completed', detail });
  });
}

/** The first step that is still to be carried out; approvals do not hold an action up. */
async function nextStep(tx: Transaction, actionId: string): Promise<{ operator: string } | undefined> {
  const step = await tx.actionStep.findFirst({
    where: { actionId, status: { in: ['PENDING', 'SUBMITTED'] }, kind: { not: 'APPROVAL' } },
    orderBy: { stepIndex: 'asc' },
    select: { operator: true },
  });
  return step ?? undefined;
}

/** Dollars follow the amounts, at the price of the quote. */
async function saveAmounts(tx: Transaction, actionId: string, { spent, received }: MovedAmounts): Promise<void> {
  await tx.$executeRaw`
    UPDATE "Action"
       SET "amountInUsd" = "amountInUsd" * coalesce(${spent?.toString() ?? null}::numeric / nullif("amountIn", 0), 1),
           "amountOutUsd" = "amountOutUsd" * coalesce(${received?.toString() ?? null}::numeric / nullif("amountOut", 0), 1),
           "amountIn" = coalesce(${spent?.toString() ?? null}::numeric, "amountIn"),
           "amountOut" = coalesce(${received?.toString() ?? null}::numeric, "amountOut")
     WHERE id = ${actionId}::uuid`;
}
