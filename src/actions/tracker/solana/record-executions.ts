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
  /** The references that the pass searched for. */
  readonly searched: readonly OpenReference[];
  readonly found: readonly FoundExecution[];
}

/** Records the executions that a pass found, then up to when the chain was searched. */
export async function recordExecutions(deps: SolanaTrackerDeps, pass: Pass): Promise<void> {
  const { schedule } = deps;
  const { chainId, startedAt, open, searched, found } = pass;
  const rejected = found.length === 0 ? [] : await recordAll(deps, pass);
  // The transaction already executes another action, or the action has ended.
  for (const { reference, transaction } of rejected) schedule.reject(reference.key, transaction.signature);
  schedule.markSearched(searched, startedAt);
  await markCovered(deps, { chainId, until: open.length === 0 ? startedAt : schedule.coveredUntil(open) });
}

/** Resolves to the executions that could not be recorded. */
function recordAll({ database, replicaId }: SolanaTrackerDeps, { chainId, found }: Pass): Promise<FoundExecution[]> {
  return database.$transaction(async (tx) => {
    await requireLease(tx, replicaId, chainId);
    const rejected: FoundExecution[] = [];
    for (const each of found) if (!(await record(tx, chainId, each))) rejected.push(each);
    return rejected;
  });
}

function record(tx: Transaction, chainId: number, { reference, transaction }: FoundExecution): Promise<boolean> {
  const { actionId, stepIndex } = reference;
  return recordExecution(tx, {
    actionId,
    stepIndex,
    chainId,
    txHash: transaction.signature,
    block: blockOf(transaction),
  });
}

/** Block of a transaction. The node does not return the hash of the block; the signature identifies what was seen. */
export function blockOf({ signature, slot, blockTime }: FoundExecution['transaction']) {
  const timestamp = BigInt(blockTime ?? Math.floor(Date.now() / 1000));
  return { number: BigInt(slot), hash: signature, timestamp };
}

/** Actions expire only after their chain was searched for them: the oldest search of an open reference counts. */
async function markCovered(
  { database, replicaId }: Pick<SolanaTrackerDeps, 'database' | 'replicaId'>,
  { chainId, until }: { readonly chainId: number; readonly until: Date | undefined },
): Promise<void> {
  if (until === undefined) return;
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "caughtUpAt" = greatest("caughtUpAt", ${until})
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
