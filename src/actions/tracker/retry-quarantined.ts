import { rejectOnAbort } from '../../async/race-abort';
import { describeFailure } from '../../errors/describe-failure';
import { type ClaimedItem, postponeClaimed, releaseClaimed } from '../state/quarantine';
import { CALL_WITH_ACTION, IS_OPEN } from './open-calls';
import { type MinedBlock, type MinedTransaction, readBlock, readBlockId } from './read-blocks';
import { recordMined, setTransactionAside, transactionItem } from './record-blocks';
import type { Recording } from './record-transactions';
import type { TrackerDeps } from './tracker-deps';

export interface RetryDeps extends Pick<TrackerDeps, 'database' | 'rpc' | 'log'> {
  /** Time limit of one item; a minute by default. */
  readonly maxItemMs?: number;
}

/** Items of one chain that one run retries. */
const MAX_ITEMS = 20;
/** A run starts no other item after this time: it delays the tracker of the chain. */
const MAX_RUN_MS = 10_000;
const MAX_ITEM_MS = 60_000;
/** How long an item is reserved for the process that retries it. */
const CLAIM_SECONDS = 300;

interface Item extends ClaimedItem {
  readonly txHash: string | null;
}

/**
 * Retries the blocks and transactions of EVM chains whose next attempt is due. Chains are independent of each other. Safe
 * to run on several replicas at once: what is recorded twice changes nothing.
 *
 * The other stages are retried by the passes of their trackers.
 */
export async function retryQuarantined(deps: RetryDeps, signal: AbortSignal): Promise<void> {
  await releaseObsolete(deps);
  const chains = await deps.database.quarantine.groupBy({
    by: ['chainId'],
    where: { stage: { in: ['block', 'transaction'] }, nextAt: { lte: new Date() } },
  });
  const served = chains.map(({ chainId }) => smallId(chainId)).filter((chainId) => deps.rpc.serves(chainId));
  await Promise.all(served.map((chainId) => retryChain(deps, chainId, signal)));
}

/**
 * Removes the items whose work was done in another way, for example by a report of the caller: steps that no longer wait
 * for their settlement, and references that no longer wait for a transaction.
 */
async function releaseObsolete({ database }: Pick<RetryDeps, 'database'>): Promise<void> {
  await database.$executeRaw`
    DELETE FROM "Quarantine" AS kept
     WHERE (kept.stage = 'settlement' AND NOT EXISTS (
             SELECT 1 FROM "ActionStep" AS step
              WHERE step."actionId" = kept."actionId" AND step.status = 'SUBMITTED'
                AND kept.item = step."actionId" || '/' || step."stepIndex"))
        OR (kept.stage = 'search' AND NOT EXISTS (
             SELECT 1 FROM ${CALL_WITH_ACTION} WHERE action.id = kept."actionId" AND ${IS_OPEN}))`;
}

/** Retries the blocks and transactions of one chain whose next attempt is due. */
export async function retryChain(deps: RetryDeps, chainId: number, signal: AbortSignal): Promise<void> {
  const { maxItemMs = MAX_ITEM_MS } = deps;
  const until = Date.now() + MAX_RUN_MS;
  for (const item of await claimDue(deps, chainId)) {
    if (signal.aborted || Date.now() > until) return;
    try {
      await rejectOnAbort(retryItem(deps, item), AbortSignal.timeout(maxItemMs));
    } catch (error) {
      const { stage, item: id } = item;
      deps.log.warn({ chainId, stage, item: id, cause: describeFailure(error) }, 'an item stays in quarantine');
      await postponeClaimed(deps.database, item, error);
    }
  }
}

async function claimDue({ database }: RetryDeps, chainId: number): Promise<readonly Item[]> {
  const rows = await database.$queryRaw<
    (Pick<Item, 'stage' | 'item' | 'txHash' | 'attempts'> & { blockNumber: bigint; blockHash: string })[]
  >`
    UPDATE "Quarantine" AS kept SET "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
      FROM (SELECT stage, item FROM "Quarantine"
             WHERE "chainId" = ${chainId} AND stage IN ('block', 'transaction') AND "nextAt" <= now()
               AND "blockNumber" IS NOT NULL AND "blockHash" IS NOT NULL
             ORDER BY "nextAt" LIMIT ${MAX_ITEMS} FOR UPDATE SKIP LOCKED) AS due
     WHERE kept."chainId" = ${chainId} AND kept.stage = due.stage AND kept.item = due.item
    RETURNING kept.stage, kept.item, kept."txHash", kept.attempts, kept."blockNumber", kept."blockHash"`;
  return rows.map(({ stage, item, txHash, attempts, blockNumber: number, blockHash: hash }) => ({
    chainId,
    stage,
    item,
    txHash,
    attempts,
    block: { number, hash },
  }));
}

/** The node lacks what it had before. */
class StillUnreadableError extends Error {
  override readonly name = 'StillUnreadableError';
}

async function retryItem(deps: RetryDeps, item: Item): Promise<void> {
  const { chainId, stage, block } = item;
  const now = await readBlockId(deps.rpc.client(chainId), block.number);
  if (now === undefined) throw new StillUnreadableError('the node does not have the block');
  // After a reorganisation the tracker has read the block that replaced this one.
  if (now.hash === block.hash) await recordAgain(deps, item);
  if (!(await releaseClaimed(deps.database, item))) return;
  deps.log.info({ chainId, stage, item: item.item }, 'an item left the quarantine');
}

async function recordAgain(deps: RetryDeps, item: Item): Promise<void> {
  const { database } = deps;
  const { chainId } = item;
  const block = await readMined(deps, item);
  const failures: unknown[] = [];
  const recording: Recording = {
    database,
    chainId,
    // Recording is conditional on the state of each action, so that a tracker may work on the same chain.
    fence: () => Promise.resolve(),
    setAside(mined, error) {
      if (transactionItem(mined) !== item.item) return setTransactionAside({ ...deps, chainId }, mined, error);
      failures.push(error);
      return Promise.resolve();
    },
  };
  const result = await recordMined({ deps, recording }, [block]);
  if (result !== 'recorded') throw new StillUnreadableError(`recording ended with "${result}"`);
  const [failure = block.failure] = failures;
  if (failure !== undefined) throw failure instanceof Error ? failure : new StillUnreadableError('it failed again');
}

/** The block of an item, with all its transactions or only the one in question. */
async function readMined(
  deps: RetryDeps,
  { chainId, stage, item, txHash, block: { number } }: Item,
): Promise<MinedBlock> {
  const client = deps.rpc.client(chainId);
  if (stage === 'block') {
    const block = await readBlock(client, number);
    if (block === undefined) throw new StillUnreadableError('the node does not have the block');
    return block;
  }
  const transaction = await client.getTransaction({ hash: (txHash ?? item) as MinedTransaction['hash'] });
  const { hash, parentHash, timestamp } = await client.getBlock({ blockNumber: number, includeTransactions: false });
  return { number, hash, parentHash, timestamp, transactions: [transaction] };
}

const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);
