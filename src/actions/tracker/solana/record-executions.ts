import type { Transaction } from '../../../persistence/database';
import { recordExecution } from '../../state/record-execution';
import { requireLease } from '../chain-lease';
import type { FoundExecution } from './find-executions';
import type { OpenReference } from './open-references';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export interface Pass {
  readonly chainId: number;
  /** When the pass began, by the database's clock. */
  readonly startedAt: Date;
  readonly open: readonly OpenReference[];
  readonly looked: readonly OpenReference[];
  readonly found: readonly FoundExecution[];
}

/** Notes the executions that a pass found, and up to when the chain was looked at: both or nothing. */
export async function recordExecutions(deps: SolanaTrackerDeps, pass: Pass): Promise<void> {
  const { looks } = deps;
  const { chainId, startedAt, open, looked, found } = pass;
  const refused = found.length === 0 ? [] : await recordAll(deps, pass);
  // The transaction executes another action already, or the action has ended.
  for (const { sought, transaction } of refused) looks.reject(sought.key, transaction.signature);
  looks.looked(looked, startedAt);
  await markCovered(deps, { chainId, until: open.length === 0 ? startedAt : looks.coveredUntil(open) });
}

/** The executions that could not be noted. */
function recordAll({ database, replicaId }: SolanaTrackerDeps, { chainId, found }: Pass): Promise<FoundExecution[]> {
  return database.$transaction(async (tx) => {
    await requireLease(tx, replicaId, chainId);
    const refused: FoundExecution[] = [];
    for (const each of found) if (!(await record(tx, chainId, each))) refused.push(each);
    return refused;
  });
}

function record(tx: Transaction, chainId: number, { sought, transaction }: FoundExecution): Promise<boolean> {
  const { actionId, stepIndex } = sought;
  return recordExecution(tx, {
    actionId,
    stepIndex,
    chainId,
    txHash: transaction.signature,
    block: placeOf(transaction),
  });
}

/** Where a transaction stands. The node does not tell the hash of its block, and the signature is as good: both say what was seen. */
export function placeOf({ signature, slot, blockTime }: FoundExecution['transaction']) {
  const timestamp = BigInt(blockTime ?? Math.floor(Date.now() / 1000));
  return { number: BigInt(slot), hash: signature, timestamp };
}

/** Actions expire only when their chain was looked at after that: by the oldest look at what is still open. */
async function markCovered(
  { database, replicaId }: Pick<SolanaTrackerDeps, 'database' | 'replicaId'>,
  { chainId, until }: { readonly chainId: number; readonly until: Date | undefined },
): Promise<void> {
  if (until === undefined) return;
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "caughtUpAt" = greatest("caughtUpAt", ${until})
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
