import type { Transaction } from '../../persistence/database';
import { recordExecution } from '../state/record-execution';
import type { FoundTransaction } from './find-transactions';
import { isItemFailure } from './item-failure';
import { type CallKey, oldestOpenCalls, type OpenCall, callKeyText } from './open-calls';
import type { Receipts, TransactionResult } from './read-receipts';
import { recordApprovals } from './record-approvals';
import type { TrackerDeps } from './tracker-deps';
import type { FoundOperation } from './user-operations/match-operations';

export type Found = FoundTransaction | FoundOperation;

/** A transaction that cannot be recorded. Without a key it could not be compared with the open calls. */
export type UnrecordedTransaction = Pick<FoundTransaction, 'transaction' | 'block'> &
  Partial<Pick<FoundTransaction, 'key'>>;

export interface Recording extends Pick<TrackerDeps, 'database'> {
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
/** Calls that are tried in addition to one for each transaction: an action may change at the same moment. */
const SPARE_CANDIDATES = 5;

/**
 * Records mined transactions in the order of the chain, approvals first. A transaction that cannot be recorded is set aside.
 * Recording again what was recorded before changes nothing.
 *
 * False when so many actions wait for an approval that the rest has to be recorded by a later call.
 */
export async function recordTransactions(
  recording: Recording,
  found: readonly Found[],
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
  readonly found: Found;
  readonly result: TransactionResult;
}

async function recordAllApprovals(recording: Recording, mined: readonly Mined[]): Promise<boolean> {
  const { database, chainId, fence } = recording;
  const approvals = mined
    .filter(({ found: { kinds } }) => kinds.approval)
    .map(({ found, result: { succeeded } }) => ({ ...found, succeeded }));
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
  const { database, fence, chainId } = recording;
  const record = (items: readonly Mined[]): Promise<void> =>
    database.$transaction(async (tx) => {
      await fence(tx);
      const candidates = createCandidateReader({ tx, chainId }, items);
      const recorded = await readRecorded({ tx, chainId }, items);
      for (const item of items) await recordOne(tx, chainId, { ...item, candidates, recorded });
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

interface BatchDeps extends Pick<Recording, 'chainId'> {
  readonly tx: Transaction;
}

interface MinedInBatch extends Mined {
  readonly candidates: ReadCandidates;
  /** Transactions and operations that have executed an action before. */
  readonly recorded: ReadonlySet<string>;
}

async function recordOne(
  tx: Transaction,
  chainId: number,
  { found, result, candidates, recorded }: MinedInBatch,
): Promise<void> {
  const { key, transaction, block } = found;
  const executed = 'operation' in found ? executionOf(found, result.operations) : undefined;
  // A reverted bundle has executed none of its operations; another bundle may include them.
  if ('operation' in found && executed === undefined) return;
  const userOperationHash = executed?.userOperationHash;
  const isRecorded = recorded.has(executionKey(transaction.hash, userOperationHash));
  const open = await candidates(key);
  for (const candidate of [...open]) {
    const { actionId, stepIndex } = candidate;
    if (isRecorded && stepIndex === 0) continue; // it starts one action at most
    const execution = { actionId, stepIndex, chainId, txHash: transaction.hash, userOperationHash, block };
    // Either it is executed now, or it changed a moment ago: it is no candidate for other transactions.
    open.splice(open.indexOf(candidate), 1);
    if (await recordExecution(tx, execution)) return;
  }
}

const executionKey = (txHash: string, userOperationHash: string | null | undefined): string =>
  `${txHash} ${userOperationHash ?? ''}`;

async function readRecorded({ tx, chainId }: BatchDeps, batch: readonly Mined[]): Promise<ReadonlySet<string>> {
  const steps = await tx.actionStep.findMany({
    where: { chainId, txHash: { in: batch.map(({ found }) => found.transaction.hash) } },
    select: { txHash: true, userOperationHash: true },
  });
  return new Set(steps.map(({ txHash, userOperationHash }) => executionKey(txHash ?? '', userOperationHash)));
}

/** The open calls that are identical to a key and were not tried yet, oldest first. */
type ReadCandidates = (key: CallKey) => Promise<OpenCall[]>;

/** Reads the candidates of each key once, for all transactions of a batch that are identical. */
function createCandidateReader({ tx, chainId }: BatchDeps, batch: readonly Mined[]): ReadCandidates {
  // Operations that were built for one action each execute candidates of the others.
  const identical = (key: CallKey): string => callKeyText({ ...key, actionId: undefined });
  const counts = new Map<string, number>();
  for (const { found } of batch) counts.set(identical(found.key), (counts.get(identical(found.key)) ?? 0) + 1);
  const read = new Map<string, OpenCall[]>();
  return async (key) => {
    const text = callKeyText(key);
    const limit = (counts.get(identical(key)) ?? 1) + SPARE_CANDIDATES;
    const open = read.get(text) ?? [...(await oldestOpenCalls(tx, chainId, { key, limit }))];
    read.set(text, open);
    return open;
  };
}

const executionOf = (
  { operation: { sender, nonce } }: FoundOperation,
  executed: TransactionResult['operations'],
): TransactionResult['operations'][number] | undefined =>
  executed.find((each) => each.sender === sender && each.nonce === nonce);
