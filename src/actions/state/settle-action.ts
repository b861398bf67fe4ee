import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';
import { changeSubstatus, transition } from './transition';

/** What really moved, in base units; `undefined` keeps what was promised. */
export interface MovedAmounts {
  readonly spent: bigint | undefined;
  readonly received: bigint | undefined;
  /** How what arrived falls short of what was bought, in words: then the action does not succeed. */
  readonly shortfall?: string | undefined;
}

/** What follows for an action from a step that is confirmed: it ends, or waits for the next one. */
export async function settleAction(
  tx: Transaction,
  {
    actionId,
    stepIndex,
    txHash,
  }: { readonly actionId: string; readonly stepIndex: number; readonly txHash: string | undefined },
  moved: MovedAmounts,
): Promise<void> {
  await saveAmounts(tx, actionId, moved);
  const detail = { stepIndex, ...(txHash === undefined ? {} : { txHash }) };
  if (moved.shortfall !== undefined) {
    await transition(tx, actionId, { edge: 'failed', substatus: 'PARTIAL', failureReason: moved.shortfall, detail });
    return;
  }
  const next = await nextStep(tx, actionId);
  if (next === undefined) {
    await transition(tx, actionId, { edge: 'completed', detail });
    return;
  }
  const substatus = substatusBefore(next);
  if (substatus !== undefined) await changeSubstatus(tx, actionId, { substatus, detail });
}

interface NextStep {
  readonly stepIndex: number;
  readonly status: string;
  readonly operator: string;
  readonly followed: boolean;
}

/** The first step that is still to be carried out, or to become final; approvals do not hold an action up. */
async function nextStep(tx: Transaction, actionId: string): Promise<NextStep | undefined> {
  const step = await tx.actionStep.findFirst({
    where: { actionId, status: { in: ['PENDING', 'SUBMITTED'] }, kind: { not: 'APPROVAL' } },
    orderBy: { stepIndex: 'asc' },
    select: { stepIndex: true, status: true, operator: true, action: { select: { delivery: true } } },
  });
  return step === null ? undefined : { ...step, followed: step.action.delivery !== null };
}

/** What an action waits for; `undefined` when whoever follows its delivery knows better. */
function substatusBefore({ stepIndex, status, operator, followed }: NextStep): Substatus | undefined {
  if (status === 'SUBMITTED') return 'WAITING_CONFIRMATIONS';
  if (stepIndex === 0) return 'WAITING_ORIGIN';
  if (followed) return undefined;
  return operator === 'USER' ? 'DESTINATION_MINT_REQUIRED' : 'WAITING_DESTINATION';
}

/** Dollars follow the amounts, at the price of the quote. What an action that has ended says stays. */
async function saveAmounts(tx: Transaction, actionId: string, { spent, received }: MovedAmounts): Promise<void> {
  await tx.$executeRaw`
    UPDATE "Action"
       SET "amountInUsd" = "amountInUsd" * coalesce(${spent?.toString() ?? null}::numeric / nullif("amountIn", 0), 1),
           "amountOutUsd" = "amountOutUsd" * coalesce(${received?.toString() ?? null}::numeric / nullif("amountOut", 0), 1),
           "amountIn" = coalesce(${spent?.toString() ?? null}::numeric, "amountIn"),
           "amountOut" = coalesce(${received?.toString() ?? null}::numeric, "amountOut")
     WHERE id = ${actionId}::uuid AND status = 'PENDING'`;
}
