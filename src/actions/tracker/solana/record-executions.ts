import type { Transaction } from '../../../persistence/database';
import { describeFailure } from '../../../errors/describe-failure';
import { quarantine, releaseItems } from '../../state/quarantine';
import { recordExecution } from '../../state/record-execution';
import { requireLease } from '../chain-lease';
import { isItemFailure } from '../item-failure';
import type { Findings, FoundExecution } from './find-executions';
import { scheduleNextSearches } from './late-references';
import type { OpenReference } from './open-references';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export interface Pass extends Findings {
  readonly chainId: number;
  /** When the pass began, by the database's clock. */
  readonly startedAt: Date;
  /** The open references of live actions that are not in quarantine. */
  readonly live: readonly OpenReference[];
  /** The references that the pass searched for. */
  readonly searched: readonly OpenReference[];
}

/**
 * Records the executions that a pass found, then up to when the chain was searched. A reference that cannot be handled is
 * put into quarantine: its action does not expire meanwhile, and it does not keep those of others from expiring.
 */
export async function recordExecutions(deps: SolanaTrackerDeps, pass: Pass): Promise<void> {
  const { schedule } = deps;
  const { chainId, live, searched, failed } = pass;
  const { rejected, unrecorded } = await recordAll(deps, pass);
  // The transaction already executes another action, or the action has ended.
  for (const { reference, transaction } of rejected) schedule.reject(reference.key, transaction.signature);
  const aside = [...failed, ...unrecorded];
  for (const each of aside) await setAside(deps, chainId, each);
  const isHandled = (reference: OpenReference): boolean => aside.every((each) => each.reference !== reference);
  const [done, covered] = [searched.filter(isHandled), live.filter(isHandled)];
  await markSearched(deps, pass, done);
  await markCovered(deps, pass, covered);
}

async function markSearched(
  { database, schedule }: SolanaTrackerDeps,
  { chainId, startedAt }: Pass,
  searched: readonly OpenReference[],
): Promise<void> {
  const live = searched.filter(({ isLate }) => !isLate);
  schedule.markSearched(live, startedAt);
  const late = searched.filter(({ isLate }) => isLate);
  await scheduleNextSearches(database, late, { chainId, startedAt });
  await releaseItems(database, { chainId, stage: 'search', items: searched.map(({ key }) => key) });
}

type Failure = Findings['failed'][number];

async function setAside(
  { database, log }: SolanaTrackerDeps,
  chainId: number,
  { reference, error }: Failure,
): Promise<void> {
  const { key: item, actionId, customerId } = reference;
  log.warn({ chainId, actionId, cause: describeFailure(error) }, 'the transactions of an action could not be handled');
  await quarantine(database, { chainId, stage: 'search', item, actionId, customerId }, error);
}

interface RecordResult {
  /** Executions that the state of their action does not allow. */
  readonly rejected: readonly FoundExecution[];
  readonly unrecorded: readonly Failure[];
}

/** Records each execution in a transaction of its own, so that one that cannot be stored does not prevent the others. */
async function recordAll(deps: SolanaTrackerDeps, { chainId, found }: Pass): Promise<RecordResult> {
  const rejected: FoundExecution[] = [];
  const unrecorded: Failure[] = [];
  for (const each of found) {
    try {
      const isRecorded = await deps.database.$transaction(async (tx) => {
        await requireLease(tx, deps, chainId);
        return record(tx, chainId, each);
      });
      if (!isRecorded) rejected.push(each);
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      unrecorded.push({ reference: each.reference, error });
    }
  }
  return { rejected, unrecorded };
}

function record(tx: Transaction, chainId: number, { reference, transaction }: FoundExecution): Promise<boolean> {
  const { actionId, stepIndex } = reference;
  return recordExecution(tx, {
    actionId,
    stepIndex,
    chainId,
    txHash: transaction.signature,
    reverted: transaction.error !== null,
    block: blockOf(transaction),
  });
}

/** Block of a transaction. The node does not return the hash of the block; the signature identifies what was seen. */
export function blockOf({ signature, slot, blockTime }: FoundExecution['transaction']) {
  const timestamp = BigInt(blockTime ?? Math.floor(Date.now() / 1000));
  return { number: BigInt(slot), hash: signature, timestamp };
}

/**
 * Actions expire only after their chain was searched for them: the oldest search of a live reference counts. Late references
 * delay no expiry.
 */
async function markCovered(
  { database, replicaId, schedule }: SolanaTrackerDeps,
  { chainId, startedAt }: Pass,
  live: readonly OpenReference[],
): Promise<void> {
  const until = live.length === 0 ? startedAt : schedule.coveredUntil(live);
  if (until === undefined) return;
  await database.$executeRaw`
    UPDATE "ChainTracker" SET "caughtUpAt" = greatest("caughtUpAt", ${until})
     WHERE "chainId" = ${chainId} AND "leaseOwner" = ${replicaId}::uuid`;
}
