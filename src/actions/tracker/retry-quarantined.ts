import type { PublicClient } from 'viem';
import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import { describeFailure } from '../../errors/describe-failure';
import type { Prisma } from '../../persistence/client/client';
import { readHead } from '../../rpc/head-reader';
import { type ClaimedQuarantineItem, postponeClaimed, releaseClaimed, unclaim } from '../state/quarantine';
import { CALL_WITH_ACTION, IS_OPEN } from './open-calls';
import { type MinedBlock, type NodeTransaction, readBlock, readBlockId } from './read-blocks';
import { matchBlocks, recordMatches, transactionItem, transactionQuarantine } from './record-blocks';
import type { Recording, UnrecordedTransaction } from './record-transactions';
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

interface Item extends ClaimedQuarantineItem {
  readonly txHash: string | null;
  /** Sender of a transaction or user operation; null when it may concern any wallet. */
  readonly sender: string | null;
  /** When the item was seen first, by the database's clock. */
  readonly createdAt: Date;
}

/**
 * Retries the blocks and transactions of EVM chains whose next attempt is due. Chains are independent of each other. Safe
 * to run on several replicas at once: what is recorded twice changes nothing.
 *
 * The other stages are retried by the passes of their trackers.
 */
export async function retryQuarantined(deps: RetryDeps, signal: AbortSignal): Promise<void> {
  await releaseObsolete(deps);
  const chains = await deps.database.$queryRaw<{ chainId: bigint }[]>`
    SELECT DISTINCT "chainId" FROM "Quarantine" WHERE stage IN ('block', 'transaction') AND "nextAt" <= now()`;
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

/**
 * Retries the blocks and transactions of one chain whose next attempt is due. Those that it does not reach stay due, and all
 * of them when the node is unavailable.
 */
export async function retryChain(deps: RetryDeps, chainId: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + MAX_RUN_MS;
  const items = [...(await claimDue(deps, chainId))];
  for (let item = items[0]; item !== undefined && Date.now() <= until; item = items[0]) {
    if (!(await isAvailable(deps.rpc.client(chainId), signal))) break;
    await retryWithin(deps, item, signal);
    if (signal.aborted) break;
    items.shift();
  }
  await unclaim(deps.database, items);
}

/** Retries an item within its time limit. A retry that the end of the process interrupts is no attempt. */
async function retryWithin(deps: RetryDeps, item: Item, stop: AbortSignal): Promise<void> {
  const { database, log, maxItemMs = MAX_ITEM_MS } = deps;
  try {
    await rejectOnAbort(retryItem(deps, item), anySignal(stop, AbortSignal.timeout(maxItemMs)));
  } catch (error) {
    if (stop.aborted) return;
    const { chainId, stage, item: id } = item;
    log.warn({ chainId, stage, item: id, cause: describeFailure(error) }, 'an item stays in quarantine');
    await postponeClaimed(database, item, error);
  }
}

/** False as well when the process stops. */
const isAvailable = (client: PublicClient, stop: AbortSignal): Promise<boolean> =>
  rejectOnAbort(readHead(client), stop).then(
    () => true,
    () => false,
  );

async function claimDue({ database }: RetryDeps, chainId: number): Promise<readonly Item[]> {
  const rows = await database.$queryRaw<
    (Omit<Item, 'chainId' | 'block'> & { blockNumber: bigint; blockHash: string })[]
  >`
    UPDATE "Quarantine" AS kept SET "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
      FROM (SELECT stage, item FROM "Quarantine"
             WHERE "chainId" = ${chainId} AND stage IN ('block', 'transaction') AND "nextAt" <= now()
               AND "blockNumber" IS NOT NULL AND "blockHash" IS NOT NULL
             ORDER BY "nextAt" LIMIT ${MAX_ITEMS} FOR UPDATE SKIP LOCKED) AS due
     WHERE kept."chainId" = ${chainId} AND kept.stage = due.stage AND kept.item = due.item
    RETURNING kept.stage, kept.item, kept."txHash", kept.sender, kept.attempts, kept."createdAt", kept."blockNumber",
              kept."blockHash"`;
  return rows.map(({ blockNumber: number, blockHash: hash, ...row }) => ({ ...row, chainId, block: { number, hash } }));
}

/** The retry failed: the node lacks the block, or its transactions could not be recorded completely. */
class FailedRetryError extends Error {
  override readonly name = 'FailedRetryError';
}

async function retryItem(deps: RetryDeps, item: Item): Promise<void> {
  const { chainId, stage, block } = item;
  const now = await readBlockId(deps.rpc.client(chainId), block.number);
  if (now === undefined) throw new FailedRetryError('the node does not have the block');
  // After a reorganisation the tracker has read the block that replaced this one.
  const isUnrelated = now.hash === block.hash && (await recordAgain(deps, item)) === 'unrelated';
  if (!(await releaseClaimed(deps.database, item))) return;
  const entry = { chainId, stage, item: item.item };
  if (isUnrelated)
    deps.log.warn(entry, 'a transaction left the quarantine without executing an action: no waiting action matches it');
  else deps.log.info(entry, 'an item left the quarantine');
}

/** Resolves to `unrelated` for a transaction that executes no action, and has executed none before. */
async function recordAgain(deps: RetryDeps, item: Item): Promise<'recorded' | 'unrelated'> {
  const { database, log } = deps;
  const { chainId } = item;
  const block = await readMined(deps, item);
  const failures: unknown[] = [];
  const setOtherAside = transactionQuarantine({ ...deps, chainId });
  const recording: Recording = {
    database,
    log,
    chainId,
    // Recording is conditional on the state of each action, so that a tracker may work on the same chain.
    fence: () => Promise.resolve(),
    setAside(mined, error) {
      if (transactionItem(mined) !== item.item) return setOtherAside(mined, error);
      failures.push(error);
      return Promise.resolve();
    },
  };
  const isOwn = isPartOf(item);
  const matches = await matchBlocks(database, chainId, [block]);
  const [found, malformed] = [matches.found.filter(isOwn), matches.malformed.filter(isOwn)];
  const result = await recordMatches({ deps, recording }, { found, malformed });
  if (result !== 'recorded') throw new FailedRetryError(`recording ended with "${result}"`);
  const [failure = block.failure] = failures;
  if (failure !== undefined) throw failure instanceof Error ? failure : new FailedRetryError('it failed again');
  return found.length > 0 || (await hasExecuted(database, item)) ? 'recorded' : 'unrelated';
}

/** The operations of other accounts in a bundle are items of their own, with attempts of their own. */
const isPartOf =
  ({ stage, item }: Item) =>
  (mined: UnrecordedTransaction): boolean =>
    stage === 'block' || [mined.transaction.hash, transactionItem(mined)].includes(item);

/** True for a transaction that has executed an action, for example by a report of the caller; and for any block. */
async function hasExecuted(database: RetryDeps['database'], item: Item): Promise<boolean> {
  const { chainId, stage, txHash, sender } = item;
  if (stage === 'block') return true;
  const ofSender: Prisma.ActionWhereInput = sender === null ? {} : { calls: { some: { chainId, sender } } };
  return (await database.actionStep.count({ where: { chainId, txHash, action: ofSender } })) > 0;
}

/**
 * The block of an item, with all its transactions or only the one in question. A transaction carries out no call that was
 * issued after it was seen, although the calldata is identical. The time of the block does not count: a chain that catches
 * up after an outage mines blocks with times that have passed long before.
 */
async function readMined(deps: RetryDeps, item: Item): Promise<MinedBlock> {
  const block = item.stage === 'block' ? await readWhole(deps, item) : await readOne(deps, item);
  return { ...block, issuedUntil: item.createdAt };
}

async function readWhole({ rpc }: RetryDeps, { chainId, block: { number } }: Item): Promise<MinedBlock> {
  const block = await readBlock(rpc.client(chainId), number);
  if (block === undefined) throw new FailedRetryError('the node does not have the block');
  return block;
}

async function readOne({ rpc }: RetryDeps, { chainId, item, txHash, block: { number } }: Item): Promise<MinedBlock> {
  const client = rpc.client(chainId);
  const transaction = await client.getTransaction({ hash: (txHash ?? item) as NodeTransaction['hash'] });
  const { hash, parentHash, timestamp } = await client.getBlock({ blockNumber: number, includeTransactions: false });
  return { number, hash, parentHash, timestamp, transactions: [transaction] };
}

const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);
