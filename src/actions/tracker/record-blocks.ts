import { recordExecution } from '../record-execution';
import { requireLease } from './chain-lease';
import { advanceCursor, markCaughtUp } from './cursor';
import { type FoundTransaction, matchCalls } from './match-calls';
import type { MinedBlock } from './read-blocks';
import { readReceipt } from '../read-receipt';
import { recordApproval } from './record-approval';
import type { TrackerDeps } from './tracker-deps';

/** Long enough for a range in which hundreds of actions are executed, shorter than the lease. */
const TRANSACTION = { timeout: 20_000, maxWait: 5000 };

export interface BlocksRead {
  readonly chainId: number;
  readonly blocks: readonly MinedBlock[];
  /** True when the newest of them is the head of the chain. */
  readonly caughtUp: boolean;
}

/**
 * Notes what the blocks hold for open actions and moves the cursor behind them, both or nothing.
 *
 * False when the chain changed meanwhile: nothing was noted, the blocks have to be read again.
 */
export async function recordBlocks(deps: TrackerDeps, { chainId, blocks, caughtUp }: BlocksRead): Promise<boolean> {
  const found = await matchCalls(deps.database, chainId, blocks);
  const receipts = await Promise.all(
    found.map(({ transaction }) => readReceipt(deps.rpc.client(chainId), transaction.hash)),
  );
  if (found.some(({ block }, index) => receipts[index]?.blockHash !== block.hash)) return false;
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps.replicaId, chainId);
    for (const [index, each] of found.entries()) {
      if (each.call.kind === 'APPROVAL') await recordApproval(tx, each, receipts[index]?.status === 'success');
      else await recordExecution(tx, executionOf(chainId, each));
    }
    await advanceCursor(tx, chainId, blocks);
    if (caughtUp) await markCaughtUp(tx, chainId);
  }, TRANSACTION);
  return true;
}

const executionOf = (chainId: number, { call, transaction, block }: FoundTransaction) => ({
  ...{ actionId: call.actionId, stepIndex: call.stepIndex, chainId, txHash: transaction.hash },
  block: { number: block.number, hash: block.hash, timestamp: block.timestamp },
});
