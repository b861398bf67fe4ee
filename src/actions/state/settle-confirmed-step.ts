import { MAX_BASE_UNITS } from '../../money/base-units';
import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import { ENTRY_FEE } from './paid-fees';
import { nextStep, substatusBefore } from './next-step';
import { changeStatus, changeSubstatus, type StatusChange } from './change-status';

/** Amounts that transactions actually moved, in base units; `undefined` keeps the quoted amount. */
export interface MovedAmounts {
  readonly spent: bigint | undefined;
  readonly received: bigint | undefined;
  /** What a transfer brought for another step of its action. */
  readonly arrived?: bigint | undefined;
  /** Reason, shown to the customer, why the delivery falls short of the quote: the action then fails. */
  readonly shortfall?: string | undefined;
}

/** A step whose transaction is final. */
interface SettledStep {
  readonly actionId: string;
  readonly customerId: string;
  readonly stepIndex: number;
  readonly txHash: string | undefined;
}

/** Ends the action of a confirmed step, or updates what the action waits for next. Nothing changes for another customer. */
export async function settleConfirmedStep(tx: Transaction, step: SettledStep, moved: MovedAmounts): Promise<void> {
  const { actionId, customerId, stepIndex, txHash } = step;
  if ((await tx.action.count({ where: { id: actionId, customerId } })) === 0) return;
  await saveAmounts(tx, step, moved);
  await saveArrival(tx, step, moved);
  await skipFeeStep(tx, step);
  const detail = { stepIndex, ...(txHash === undefined ? {} : { txHash }) };
  if (moved.shortfall !== undefined) {
    await changeStatus(tx, actionId, {
      transition: 'failed',
      substatus: 'PARTIAL',
      failureReason: moved.shortfall,
      detail,
    });
    return;
  }
  const next = await nextStep(tx, step);
  if (next === undefined) return endAction(tx, step, detail);
  const substatus = substatusBefore(next);
  if (substatus !== undefined) await changeSubstatus(tx, actionId, { substatus, detail });
}

/**
 * Ends an action whose last transaction is final: another one of its wallet may have failed while a transfer was in transit, or
 * one that pays a fee. Then others may be missing as well.
 */
export async function endAction(
  tx: Transaction,
  action: Pick<SettledStep, 'actionId' | 'customerId'>,
  detail: StatusChange['detail'],
): Promise<void> {
  const { actionId, customerId } = action;
  const failed = await tx.actionStep.findMany({
    where: { actionId, customerId, status: 'FAILED', operator: 'USER' },
    orderBy: { stepIndex: 'asc' },
    select: { stepIndex: true, kind: true, failureReason: true },
  });
  if (failed.length === 0) {
    await changeStatus(tx, actionId, { transition: 'completed', detail });
    return;
  }
  const steps = failed.map(({ stepIndex, kind }) => `${String(stepIndex)} (${kind})`).join(' and ');
  const others = (await nextStep(tx, action)) === undefined ? ', the others succeeded' : ' after others had succeeded';
  const reason =
    failed.find(({ failureReason }) => failureReason !== null)?.failureReason ?? 'its transaction reverted';
  await changeStatus(tx, actionId, {
    transition: 'failed',
    substatus: 'PARTIAL',
    failureReason: `The ${failed.length === 1 ? 'step' : 'steps'} ${steps} failed${others}: ${reason}`,
    detail,
  });
}

async function saveArrival(
  tx: Transaction,
  { actionId, customerId }: SettledStep,
  { arrived }: MovedAmounts,
): Promise<void> {
  if (arrived === undefined) return;
  await tx.delivery.updateMany({ where: { actionId, customerId }, data: { arrivedAmount: arrived.toString() } });
}

/**
 * Skips the step of the entry fee once the deposit of delivered tokens is final and no separate transaction pays the fee. That is
 * so when a user operation or the router pays it together with the deposit, when the fee is below one unit, and when the deposit
 * that was sent has no fee. The caller may have requested it in several forms: the call of the form that was sent decides. The
 * last request decides only for a deposit that a worker of an earlier version has recorded, without its call.
 */
async function skipFeeStep(tx: Transaction, { actionId, customerId, stepIndex }: SettledStep): Promise<void> {
  await tx.$executeRaw`
    UPDATE "ActionStep" AS fee SET status = 'SKIPPED', "updatedAt" = now()
      FROM "ActionStep" AS deposit, "Delivery" AS delivery
     WHERE fee."actionId" = ${actionId}::uuid AND fee."customerId" = ${customerId}::uuid
       AND fee.protocol = ${FEE_PROTOCOL} AND fee.status = 'PENDING'
       AND delivery."actionId" = fee."actionId" AND deposit."actionId" = fee."actionId"
       AND deposit."stepIndex" = ${stepIndex} AND deposit.kind = 'DEPOSIT'
       AND (deposit."userOperationHash" IS NOT NULL
            OR NOT EXISTS (SELECT 1 FROM "ActionCall" AS call
                            WHERE call."actionId" = fee."actionId" AND call."stepIndex" = fee."stepIndex")
            OR EXISTS (SELECT 1 FROM "ActionCall" AS sent
                        WHERE sent.id = deposit."callId" AND sent."actionId" = deposit."actionId"
                          AND sent.fees IS NOT NULL)
            OR (deposit."callId" IS NULL
                AND EXISTS (SELECT 1 FROM "Action" AS action
                             WHERE action.id = fee."actionId" AND NOT action.fees -> 'breakdown' @> ${ENTRY_FEE_LINE}::jsonb)))`;
}

const ENTRY_FEE_LINE = JSON.stringify([{ type: ENTRY_FEE }]);

/** Larger values in US dollars are meaningless, as those of an invented token: the column holds 32 digits. */
const MAX_USD = Prisma.sql`1e30`;

/**
 * US dollars follow the amounts, at the price of the quote, rounded down to a millionth: `div` is exact, whereas `/` rounds to
 * 16 digits. An action that has ended keeps its amounts.
 */
async function saveAmounts(tx: Transaction, { actionId, customerId }: SettledStep, moved: MovedAmounts): Promise<void> {
  const [spent, received] = [moved.spent, moved.received].map((amount) =>
    amount === undefined || amount > MAX_BASE_UNITS ? null : amount.toString(),
  );
  await tx.$executeRaw`
    WITH valued AS (
      SELECT coalesce(div("amountInUsd" * ${spent ?? null}::numeric * 1000000, nullif("amountIn", 0)) * 0.000001, "amountInUsd") AS spent,
             coalesce(div("amountOutUsd" * ${received ?? null}::numeric * 1000000, nullif("amountOut", 0)) * 0.000001, "amountOutUsd") AS received
        FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid
    )
    UPDATE "Action"
       SET "amountInUsd" = CASE WHEN valued.spent < ${MAX_USD} THEN valued.spent END,
           "amountOutUsd" = CASE WHEN valued.received < ${MAX_USD} THEN valued.received END,
           "amountIn" = coalesce(${spent ?? null}::numeric, "amountIn"),
           "amountOut" = coalesce(${received ?? null}::numeric, "amountOut")
      FROM valued
     WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid AND status = 'PENDING'`;
}
