import { MAX_BASE_UNITS } from '../../money/base-units';
import { Prisma } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';
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
export interface SettledStep {
  readonly actionId: string;
  readonly customerId: string;
  readonly stepIndex: number;
  readonly txHash: string | undefined;
}

/** Ends the action of a confirmed step, or updates what the action waits for next. */
export async function settleConfirmedStep(tx: Transaction, step: SettledStep, moved: MovedAmounts): Promise<void> {
  const { actionId, stepIndex, txHash } = step;
  await saveAmounts(tx, step, moved);
  await saveArrival(tx, step, moved);
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
  const next = await nextStep(tx, actionId);
  if (next === undefined) return endAction(tx, actionId, detail);
  const substatus = substatusBefore(next);
  if (substatus !== undefined) await changeSubstatus(tx, actionId, { substatus, detail });
}

/** Ends an action whose last transaction is final: another one of its wallet may have failed while a transfer was under way. */
async function endAction(tx: Transaction, actionId: string, detail: StatusChange['detail']): Promise<void> {
  const failed = await tx.actionStep.findFirst({
    where: { actionId, status: 'FAILED', operator: 'USER' },
    orderBy: { stepIndex: 'asc' },
    select: { stepIndex: true, kind: true, failureReason: true },
  });
  if (failed === null) {
    await changeStatus(tx, actionId, { transition: 'completed', detail });
    return;
  }
  const { stepIndex, kind, failureReason } = failed;
  const reason = failureReason ?? 'its transaction reverted';
  await changeStatus(tx, actionId, {
    transition: 'failed',
    substatus: 'PARTIAL',
    failureReason: `The step ${String(stepIndex)} (${kind}) failed, the others succeeded: ${reason}`,
    detail,
  });
}

interface NextStep {
  readonly stepIndex: number;
  readonly status: string;
  readonly kind: string;
  readonly operator: string;
  readonly hasDelivery: boolean;
}

/** The first step that is not final yet; approvals do not delay an action. */
async function nextStep(tx: Transaction, actionId: string): Promise<NextStep | undefined> {
  const step = await tx.actionStep.findFirst({
    where: { actionId, status: { in: ['PENDING', 'SUBMITTED'] }, kind: { not: 'APPROVAL' } },
    orderBy: { stepIndex: 'asc' },
    select: { stepIndex: true, status: true, kind: true, operator: true, action: { select: { delivery: true } } },
  });
  return step === null ? undefined : { ...step, hasDelivery: step.action.delivery !== null };
}

/** Substatus while a step is awaited; `undefined` when the deliveries set a more precise one. */
function substatusBefore({ stepIndex, status, kind, operator, hasDelivery }: NextStep): Substatus | undefined {
  if (status === 'SUBMITTED') return 'WAITING_CONFIRMATIONS';
  if (stepIndex === 0) return 'WAITING_ORIGIN';
  if (hasDelivery) return operator === 'USER' ? SUBSTATUS_OF_USER[kind] : undefined;
  return operator === 'USER' && kind === 'BRIDGE' ? 'DESTINATION_MINT_REQUIRED' : 'WAITING_DESTINATION';
}

/** What an action with a transfer waits for when its wallet has to send the step. */
const SUBSTATUS_OF_USER: Readonly<Record<string, Substatus>> = {
  BRIDGE: 'WAITING_ORIGIN',
  DEPOSIT: 'DEPOSIT_REQUIRED',
  TRANSFER: 'WAITING_DESTINATION',
};

async function saveArrival(
  tx: Transaction,
  { actionId, customerId }: SettledStep,
  { arrived }: MovedAmounts,
): Promise<void> {
  if (arrived === undefined) return;
  await tx.delivery.updateMany({ where: { actionId, customerId }, data: { arrivedAmount: arrived.toString() } });
}

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
