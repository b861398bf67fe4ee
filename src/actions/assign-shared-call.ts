import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { ActionStep } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';
import { changeSubstatus } from './state/change-status';
import { type Execution, recordExecution } from './state/record-execution';
import { WITHOUT_TRANSACTION } from './state/without-transaction';

/** A transaction that a caller reports for an action, although other actions have the same call. */
export interface SharedCallReport {
  readonly customerId: CustomerId;
  /** Id of the call. */
  readonly callId: string;
  readonly nonce: bigint;
}

/**
 * Binds the nonce of a wallet to one call, so that the transaction with this nonce executes its action and no other one with
 * the same call. False when the nonce is bound to another call, the action has another transaction that was reported, or the
 * action has succeeded or was refunded.
 */
export async function bindNonce(
  tx: Pick<Transaction, '$executeRaw'>,
  { customerId, callId, nonce }: SharedCallReport,
): Promise<boolean> {
  const bound = await tx.$executeRaw`
    UPDATE "ActionCall" AS call SET "reportedNonce" = ${nonce}
     WHERE call.id = ${callId}::uuid AND call."customerId" = ${customerId}::uuid
       AND EXISTS (
         SELECT 1 FROM "Action" AS action
          WHERE action.id = call."actionId" AND action.status IN ('INITIAL', 'PENDING', 'FAILED'))
       AND NOT EXISTS (
         SELECT 1 FROM "ActionCall" AS other
          WHERE other."chainId" = call."chainId" AND other.sender = call.sender AND other."reportedNonce" = ${nonce}
            AND other.id <> call.id)
       AND (call."reportedNonce" IS NULL OR call."reportedNonce" = ${nonce} OR NOT EXISTS (
         SELECT 1 FROM "ActionStep" AS step
          WHERE step."actionId" = call."actionId" AND step."stepIndex" = call."stepIndex"
            AND step.status IN ('SUBMITTED', 'CONFIRMED')))`;
  return bound === 1;
}

/**
 * Records a reported transaction. When the tracker has assigned it to an older action of the customer, which has the same
 * call, that one gives it up; a transaction that the reported action had got instead takes its place there. A final
 * transaction stays where it is.
 *
 * False when the transaction cannot be recorded: nothing may be written then.
 */
export async function assignSharedCall(
  tx: Transaction,
  report: SharedCallReport,
  execution: Execution,
): Promise<boolean> {
  const { actionId, stepIndex, txHash } = execution;
  const holder = await lockHolder(tx, report, execution);
  if (!(await bindNonce(tx, report))) return false;
  if ((await tx.actionStep.count({ where: { actionId, stepIndex, txHash } })) > 0) return true;
  if (await recordExecution(tx, execution)) return true;
  return holder !== undefined && exchange(tx, execution, holder);
}

/**
 * Locks the action, and the one that has the transaction, in the order of their ids: two reports may exchange the
 * transactions of the same actions. Resolves to the step that has the transaction.
 *
 * @throws TX_UPDATE_FAILED when another action got the transaction meanwhile
 */
async function lockHolder(
  tx: Transaction,
  report: SharedCallReport,
  execution: Execution,
): Promise<ActionStep | undefined> {
  const before = await findHolder(tx, report, execution);
  const ids = [execution.actionId, before?.actionId].filter((id) => id !== undefined);
  await tx.$queryRaw`SELECT id FROM "Action" WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR UPDATE`;
  const holder = await findHolder(tx, report, execution);
  if (holder !== undefined && holder.actionId !== before?.actionId) throw serviceError('TX_UPDATE_FAILED');
  return holder;
}

/** The action gets the transaction of `holder`, which gets that of the action, if it has one. Both actions are locked. */
async function exchange(tx: Transaction, execution: Execution, holder: ActionStep): Promise<boolean> {
  const { actionId, stepIndex } = execution;
  const own = await tx.actionStep.findFirst({
    where: { actionId, stepIndex, status: 'SUBMITTED', action: { status: 'PENDING' } },
  });
  if (!(await release(tx, holder))) return false;
  if (own !== null && !(await release(tx, own))) return false;
  if (!(await recordExecution(tx, execution))) return false;
  const former = own === null ? undefined : executionOf(own, holder.actionId);
  return former === undefined || recordExecution(tx, former);
}

/** The step of another action of the customer that has the transaction, and is not final. */
async function findHolder(
  tx: Transaction,
  { customerId }: SharedCallReport,
  { actionId, chainId, txHash, stepIndex }: Execution,
): Promise<ActionStep | undefined> {
  const step = await tx.actionStep.findFirst({
    where: {
      chainId,
      txHash,
      stepIndex,
      userOperationHash: null,
      callIndex: null,
      status: 'SUBMITTED',
      action: { customerId, status: 'PENDING' },
      actionId: { not: actionId },
    },
  });
  return step ?? undefined;
}

/**
 * The action waits for its transaction again, that of its first step: `recordExecution` gives any other step a transaction that
 * another action has. False when the step changed meanwhile.
 */
async function release(tx: Transaction, { actionId, stepIndex, txHash }: ActionStep): Promise<boolean> {
  const { count } = await tx.actionStep.updateMany({
    where: { actionId, stepIndex, txHash, status: 'SUBMITTED' },
    data: WITHOUT_TRANSACTION,
  });
  if (count === 0 || txHash === null) return false;
  const cause = 'the caller reported the transaction as the execution of another action';
  await changeSubstatus(tx, actionId, { substatus: 'WAITING_ORIGIN', detail: { stepIndex, txHash, cause } });
  return true;
}

/** The transaction of a step, as the execution of another action with the same call. */
function executionOf(step: ActionStep, actionId: string): Execution | undefined {
  const { stepIndex, chainId, txHash, blockNumber, blockHash, minedAt, reverted } = step;
  if (txHash === null || blockNumber === null || blockHash === null || minedAt === null) return undefined;
  const timestamp = BigInt(Math.floor(minedAt.getTime() / 1000));
  const block = { number: blockNumber, hash: blockHash, timestamp };
  return { actionId, stepIndex, chainId: Number.parseInt(chainId.toString(), 10), txHash, reverted, block };
}
