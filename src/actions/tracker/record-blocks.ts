import type { TransactionReceipt } from 'viem';
import type { Transaction } from '../../persistence/database';
import { type Execution, recordExecution } from '../state/record-execution';
import { requireLease } from './chain-lease';
import { advanceCursor, markCaughtUp } from './cursor';
import { type FoundTransaction, matchCalls } from './match-calls';
import type { MinedBlock } from './read-blocks';
import { readReceipt } from '../../rpc/read-receipt';
import { recordApproval } from './record-approval';
import type { TrackerDeps } from './tracker-deps';
import { executedOperations } from './user-operations/executed-operations';
import { type FoundOperation, matchOperations } from './user-operations/match-operations';

/** Long enough for a range that executes hundreds of actions, shorter than the lease. */
const TRANSACTION = { timeout: 20_000, maxWait: 5000 };

export interface BlocksRead {
  readonly chainId: number;
  readonly blocks: readonly MinedBlock[];
  /** True when the newest of them is the head of the chain. */
  readonly caughtUp: boolean;
}

/**
 * Records the executions of open actions in these blocks and advances the cursor, in one transaction.
 *
 * False when the chain was reorganised meanwhile: nothing was recorded, and the blocks have to be read again.
 */
export async function recordBlocks(deps: TrackerDeps, { chainId, blocks, caughtUp }: BlocksRead): Promise<boolean> {
  const [calls, operations] = await Promise.all([
    matchCalls(deps.database, chainId, blocks),
    matchOperations(deps.database, chainId, blocks),
  ]);
  const found: readonly Found[] = [...calls, ...operations];
  const receipts = await Promise.all(
    found.map(({ transaction }) => readReceipt(deps.rpc.client(chainId), transaction.hash)),
  );
  if (found.some(({ block }, index) => receipts[index]?.blockHash !== block.hash)) return false;
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps.replicaId, chainId);
    for (const [index, each] of found.entries()) {
      const receipt = receipts[index];
      if (receipt !== undefined) await recordFound(tx, { chainId, found: each, receipt });
    }
    await advanceCursor(tx, chainId, blocks);
    if (caughtUp) await markCaughtUp(tx, chainId);
  }, TRANSACTION);
  return true;
}

type Found = FoundTransaction | FoundOperation;

interface FoundReceipt {
  readonly chainId: number;
  readonly found: Found;
  readonly receipt: TransactionReceipt;
}

async function recordFound(tx: Transaction, { chainId, found, receipt }: FoundReceipt): Promise<void> {
  if (found.call.kind === 'APPROVAL') return recordApproval(tx, found, receipt.status === 'success');
  const execution = executionOf(chainId, found);
  if (!('operation' in found)) {
    await recordExecution(tx, execution);
    return;
  }
  // A reverted bundle has executed none of its operations; another bundle may include them.
  const { sender, nonce } = found.operation;
  const executed = executedOperations(receipt).find((each) => each.sender === sender && each.nonce === nonce);
  if (executed === undefined) return;
  await recordExecution(tx, { ...execution, userOperationHash: executed.userOperationHash });
}

const executionOf = (chainId: number, { call, transaction, block }: FoundTransaction): Execution => ({
  actionId: call.actionId,
  stepIndex: call.stepIndex,
  chainId,
  txHash: transaction.hash,
  block: { number: block.number, hash: block.hash, timestamp: block.timestamp },
});
