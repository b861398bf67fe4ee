import type { Transaction } from '../../persistence/database';
import { recordExecution } from '../state/record-execution';
import type { MatchedTransaction } from './match-transactions';
import { isItemFailure } from './item-failure';
import { findOpenCall } from './open-calls';
import type { Receipts, TransactionResult } from './read-receipts';
import { recordApprovals } from './record-approvals';
import type { MatchedSafeCall } from './safes/match-safe-calls';
import type { TrackerDeps } from './tracker-deps';
import type { MatchedOperation } from './user-operations/match-operations';

export type MatchedExecution = MatchedTransaction | MatchedOperation | MatchedSafeCall;

/** A transaction that cannot be recorded. Without a key it could not be compared with the open calls. */
export type UnrecordedTransaction = Pick<MatchedTransaction, 'transaction' | 'block'> &
  Partial<Pick<MatchedTransaction, 'key'>>;

export interface Recording extends Pick<TrackerDeps, 'database' | 'log'> {
  readonly chainId: number;
  /** Called first in every database transaction; throws when this replica must not write. */
  readonly fence: (tx: Transaction) => Promise<void>;
  /** Handles a transaction that cannot be recorded. */
  readonly setAside: (mined: UnrecordedTransaction, error: unknown) => Promise<void>;
}

/** Long enough for a batch, although the database is busy. */
const TRANSACTION = { timeout: 20_000, maxWait: 5000 };
/** Transactions that are recorded in one database transaction. */
const BATCH_SIZE = 50;
/** Batches of actions with an approval that are recorded at once. */
const MAX_APPROVAL_BATCHES = 10;
/** Calls that are tried for one transaction: an action may change at the same moment. */
const MAX_ATTEMPTS = 5;

/**
 * Records mined transactions in the order of the chain, approvals first. A transaction that cannot be recorded is set aside.
 * Recording again what was recorded before changes nothing.
 *
 * False when so many actions wait for an approval that the rest has to be recorded by a later call.
 */
export async function recordTransactions(
  recording: Recording,
  found: readonly MatchedExecution[],
  receipts: Receipts,
): Promise<boolean> {
  for (const each of found) {
    const { hash } = each.transaction;
    if (receipts.failed.has(hash)) await recording.setAside(each, receipts.failed.get(hash));
  }
  const mined = found.flatMap((each): readonly Mined[] => {
    const result = receipts.read.get(each.transaction.hash);
    return result === undefined ? [] : [{ found: each, result }];
  });
  const isComplete = await recordAllApprovals(recording, mined);
  const executions = mined.filter(({ found: { kinds } }) => kinds.other);
  for (let start = 0; start < executions.length; start += BATCH_SIZE) {
    await recordBatch(recording, executions.slice(start, start + BATCH_SIZE));
  }
  return isComplete;
}

interface Mined {
  readonly found: MatchedExecution;
  readonly result: TransactionResult;
}

async function recordAllApprovals(recording: Recording, mined: readonly Mined[]): Promise<boolean> {
  const { database, chainId, fence } = recording;
  const approvals = mined.flatMap((each) => {
    const part = each.found.kinds.approval ? executionOf(each) : undefined;
    return part === undefined ? [] : [{ ...each.found, succeeded: !part.reverted }];
  });
  if (approvals.length === 0) return true;
  for (let batch = 0; batch < MAX_APPROVAL_BATCHES; batch += 1) {
    const recorded = await database.$transaction(async (tx) => {
      await fence(tx);
      return recordApprovals(tx, chainId, approvals);
    }, TRANSACTION);
    if (!recorded) return true;
  }
  return false;
}

/** Records a batch in one transaction; when that fails, each item in its own, so that one does not prevent the others. */
async function recordBatch(recording: Recording, batch: readonly Mined[]): Promise<void> {
  const { database, fence } = recording;
  const record = (items: readonly Mined[]): Promise<void> =>
    database.$transaction(async (tx) => {
      await fence(tx);
      const recorded = await readRecorded(tx, recording, items);
      for (const item of items) await recordOne(tx, recording, { ...item, recorded });
    }, TRANSACTION);
  try {
    await record(batch);
  } catch (failure) {
    if (!isItemFailure(failure)) throw failure;
    for (const item of batch) {
      try {
        await record([item]);
      } catch (error) {
        if (!isItemFailure(error)) throw error;
        await recording.setAside(item.found, error);
      }
    }
  }
}

interface MinedInBatch extends Mined {
  /** Transactions, operations and calls of Safes that have executed an action before. */
  readonly recorded: ReadonlySet<string>;
}

async function recordOne(
  tx: Transaction,
  { chainId, log }: Recording,
  { found, result, recorded }: MinedInBatch,
): Promise<void> {
  const { key, transaction, block } = found;
  const part = executionOf({ found, result });
  // It starts one action at most.
  if (part === undefined || recorded.has(executionKey(transaction.hash, part))) return;
  const { reverted } = part;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const call = await findOpenCall(tx, chainId, { key, reverted });
    if (call === 'ambiguous') {
      log.warn({ chainId, txHash: transaction.hash, sender: key.sender }, AMBIGUOUS);
      return;
    }
    if (call === undefined) return;
    const execution = { ...call, chainId, txHash: transaction.hash, block, ...part };
    if (await recordExecution(tx, execution)) return;
  }
}

const AMBIGUOUS =
  'a transaction executes no action by itself: actions of several customers have the same call. Report it with POST /actions/{id}/transactions for the action that it executes';

/** How a transaction carries out a call, beyond its own calldata. */
interface ExecutedPart {
  readonly userOperationHash?: string | undefined;
  readonly callIndex?: number | undefined;
  readonly reverted: boolean;
}

/** `undefined` when the transaction carried out nothing. Another one may carry out the call. */
function executionOf({ found, result }: Mined): ExecutedPart | undefined {
  const { succeeded, operations, isExecutedBySafe } = result;
  if ('operation' in found) {
    const { sender, nonce } = found.operation;
    const executed = operations.find((each) => each.sender === sender && each.nonce === nonce);
    return executed && { userOperationHash: executed.userOperationHash, reverted: !executed.success };
  }
  if (!('callIndex' in found)) return { reverted: !succeeded };
  // Any account can send a transaction to a Safe that reverts, for example because it lacks signatures.
  return succeeded ? { callIndex: found.callIndex, reverted: !isExecutedBySafe } : undefined;
}

const executionKey = (
  txHash: string,
  { userOperationHash, callIndex }: Pick<ExecutedPart, 'userOperationHash' | 'callIndex'>,
): string => [txHash, userOperationHash, callIndex].join(' ');

async function readRecorded(
  tx: Transaction,
  { chainId }: Recording,
  batch: readonly Mined[],
): Promise<ReadonlySet<string>> {
  const steps = await tx.actionStep.findMany({
    where: { chainId, txHash: { in: batch.map(({ found }) => found.transaction.hash) } },
    select: { txHash: true, userOperationHash: true, callIndex: true },
  });
  return new Set(
    steps.map(({ txHash, userOperationHash, callIndex }) =>
      executionKey(txHash ?? '', {
        userOperationHash: userOperationHash ?? undefined,
        callIndex: callIndex ?? undefined,
      }),
    ),
  );
}
