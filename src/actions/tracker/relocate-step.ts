import type { TransactionReceipt } from 'viem';
import type { Database } from '../../persistence/database';
import { changeSubstatus } from '../state/change-status';
import { substatusAfterLoss } from '../state/next-step';
import { maxBigInt } from '../../money/min-max';
import { hasSafeExecuted } from '../../smart-accounts/safe-transaction';
import { requireLease } from './chain-lease';
import { clearCaughtUp, rereadAfter, rewindCursor } from './cursor';
import { readBlockId } from './read-blocks';
import type { SubmittedStep } from './submitted-steps';
import type { TrackerDeps } from './tracker-deps';
import { executedOperations } from './user-operations/executed-operations';
import { WITHOUT_TRANSACTION } from '../state/without-transaction';

/** Blocks before the earlier one in which a vanished transaction, or its replacement, is searched for. */
const SEARCH_BACK_BLOCKS = 64n;

export interface Sighting {
  /** Receipt of the transaction now; `undefined` when the node has none. */
  readonly receipt: TransactionReceipt | undefined;
  /** True when another block has certainly replaced the one that was read. */
  readonly replaced: boolean;
}

/**
 * Follows a transaction that is no longer in the block where it was seen.
 *
 * - In another block: the step gets the new block.
 * - Gone together with its block: the action waits for the transaction again. It stays PENDING; its log states the reason.
 * - Missing, without another block in place of its own: the node lags behind and nothing changes.
 *
 * False in the last case.
 */
export async function relocateStep(
  deps: TrackerDeps,
  step: SubmittedStep,
  { receipt, replaced }: Sighting,
): Promise<boolean> {
  const client = deps.rpc.client(step.chainId);
  if (receipt !== undefined) {
    const { timestamp } = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: false });
    const block = { number: receipt.blockNumber, hash: receipt.blockHash, timestamp };
    await moveStep(deps.database, step, { block, reverted: hasReverted(step, receipt) });
    return true;
  }
  const now = await readBlockId(client, step.blockNumber);
  const lagging = now === undefined ? !replaced : now.hash === step.blockHash;
  if (!lagging) await resetReorgedStep(deps, step);
  return !lagging;
}

/** True when the transaction of a step, or its part that carries out the step, had no effect. */
function hasReverted({ userOperationHash, callIndex }: SubmittedStep, receipt: TransactionReceipt): boolean {
  if (callIndex !== undefined) return !hasSafeExecuted(receipt, receipt.to);
  if (userOperationHash === undefined) return receipt.status === 'reverted';
  return executedOperations(receipt).find((each) => each.userOperationHash === userOperationHash)?.success === false;
}

interface NewPlace {
  readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint };
  readonly reverted: boolean;
}

async function moveStep(
  database: Database,
  { actionId, stepIndex, txHash, blockHash }: SubmittedStep,
  { block, reverted }: NewPlace,
): Promise<void> {
  await database.actionStep.updateMany({
    where: { actionId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
    data: {
      blockNumber: block.number,
      blockHash: block.hash,
      minedAt: new Date(Number.parseInt(block.timestamp.toString(), 10) * 1000),
      reverted,
    },
  });
}

/** Resets a step whose transaction vanished: the action waits for it again. */
export async function resetReorgedStep(deps: TrackerDeps, step: SubmittedStep): Promise<void> {
  const { actionId, stepIndex, chainId, txHash, blockHash, blockNumber } = step;
  const searchAfter = maxBigInt(0n, blockNumber - SEARCH_BACK_BLOCKS);
  const start = await readBlockId(deps.rpc.client(chainId), searchAfter);
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', txHash, blockHash },
      data: WITHOUT_TRANSACTION,
    });
    if (count === 0) return;
    await changeSubstatus(tx, actionId, {
      substatus: await substatusAfterLoss(tx, step),
      detail: { stepIndex, txHash, blockHash, cause: 'the chain was reorganised and no longer has the transaction' },
    });
    // The transaction may be in blocks that are read again: until then the action does not expire.
    await clearCaughtUp(tx, chainId);
    // A chain that was reset may be shorter.
    if (start === undefined) await rewindCursor(tx, chainId, searchAfter);
    else await rereadAfter(tx, chainId, start);
  });
}
