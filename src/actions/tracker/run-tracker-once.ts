import type { PublicClient } from 'viem';
import { holdLease, renewingLease, requireLease } from './chain-lease';
import {
  advanceCursor,
  type BlockId,
  markCaughtUp,
  readCursor,
  readTrackedBlocks,
  restartCursor,
  rewindCursor,
} from './cursor';
import { openWork } from './open-work';
import { areLinked, createBlockReader, readBlockId } from './read-blocks';
import { recordBlocks } from './record-blocks';
import { relocateSteps, confirmOrFailSteps } from './confirm-or-fail-steps';
import type { TrackerDeps } from './tracker-deps';
import { maxBigInt, minBigInt } from '../../money/min-max';
import { readHead } from '../../rpc/head-reader';

/**
 * How a pass ended.
 *
 * - `elsewhere`: another replica reads the chain.
 * - `idle`: no live action waits for the chain; the cursor is at its head.
 * - `caughtUp`: there is nothing to read before the next block.
 * - `behind`: there is more to read at once.
 */
export type PassResult = 'elsewhere' | 'idle' | 'caughtUp' | 'behind';

/** Blocks that one pass reads. */
const MAX_BLOCKS_PER_PASS = 60n;
/** Blocks that are recorded together. */
const MAX_BLOCKS_PER_COMMIT = 10n;
/** A pass starts no other blocks after this time, so that transactions are settled in between. */
const MAX_READING_MS = 15_000;
/** Blocks before the head at which reading starts when no earlier cursor is on the chain. */
const START_BACK_BLOCKS = 256n;

interface Pass {
  readonly deps: TrackerDeps;
  readonly chainId: number;
  readonly client: PublicClient;
  readonly head: BlockId;
}

/**
 * Reads the next blocks of a chain, records the transactions that execute actions, and ends the actions whose
 * transactions are final.
 *
 * @throws when the chain or the database does not respond. A pass leaves nothing half done: the next one goes on from the
 * last blocks that were recorded.
 */
export async function runTrackerOnce(deps: TrackerDeps, chainId: number): Promise<PassResult> {
  if (!(await holdLease(deps, chainId))) return 'elsewhere';
  return renewingLease(deps, chainId, () => runPass(deps, chainId));
}

async function runPass(deps: TrackerDeps, chainId: number): Promise<PassResult> {
  const client = deps.rpc.client(chainId);
  const head = await (deps.heads?.read(chainId) ?? readHead(client));
  const pass: Pass = { deps, chainId, client, head };
  // Read after the head: the transaction of an action that is created later can only be in a later block.
  const work = await openWork(deps.database, chainId);
  if (work === 'none') {
    await jumpToHead(pass);
    return 'idle';
  }
  const result = await readOn(pass);
  await confirmOrFailSteps(deps, chainId, head.number);
  // Late transactions of failed actions are not urgent: their blocks are read at the idle interval.
  return result === 'caughtUp' && work === 'late' ? 'idle' : result;
}

async function jumpToHead({ deps, chainId, head }: Pass): Promise<void> {
  const cursor = await readCursor(deps.database, chainId);
  if (cursor?.hash === head.hash) return;
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    // A chain that was reset is shorter than the cursor.
    if (cursor !== undefined && cursor.number >= head.number) await restartCursor(tx, chainId, head);
    else await advanceCursor(tx, chainId, [head]);
    await markCaughtUp(tx, chainId);
  });
}

async function readOn(pass: Pass): Promise<PassResult> {
  const { deps, chainId, head } = pass;
  const cursor = await readCursor(deps.database, chainId);
  if (cursor === undefined) return start(pass);
  if (cursor.number > head.number || (cursor.number === head.number && cursor.hash !== head.hash)) {
    return goBackToFork(pass);
  }
  return readAfter(pass, cursor);
}

/** Reads and records the blocks after the cursor, within the bounds of a pass. */
async function readAfter(pass: Pass, cursor: BlockId): Promise<PassResult> {
  const { deps, chainId, client, head } = pass;
  const last = minBigInt(head.number, cursor.number + MAX_BLOCKS_PER_PASS);
  const reader = createBlockReader(client);
  const until = Date.now() + MAX_READING_MS;
  let parent = cursor;
  while (parent.number < last && Date.now() < until) {
    const end = minBigInt(last, parent.number + MAX_BLOCKS_PER_COMMIT);
    const blocks = await reader.read({ first: parent.number + 1n, last: end });
    if (!areLinked(parent, blocks)) return goBackToFork(pass);
    const newest = blocks.at(-1);
    if (newest === undefined) return 'caughtUp'; // the node does not have the next block yet
    const caughtUp = newest.number === head.number;
    const result = await recordBlocks(deps, { chainId, blocks, caughtUp });
    if (result !== 'recorded') return result === 'unfinished' ? 'behind' : 'caughtUp';
    parent = newest;
  }
  return parent.number === head.number ? 'caughtUp' : 'behind';
}

/** Starts reading a chain without a usable cursor. */
async function start({ deps, chainId, client, head }: Pass): Promise<PassResult> {
  const first = await readBlockId(client, maxBigInt(0n, head.number - START_BACK_BLOCKS));
  if (first === undefined) return 'caughtUp';
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    await restartCursor(tx, chainId, first);
  });
  return 'behind';
}

/**
 * After a reorganisation: rewinds the cursor to the newest block that is still on the chain, and follows the transactions
 * of later blocks to their new blocks.
 */
async function goBackToFork(pass: Pass): Promise<PassResult> {
  const { deps, chainId, head } = pass;
  const tracked = await readTrackedBlocks(deps.database, chainId);
  const candidates = tracked.filter(({ number }) => number <= head.number);
  const fork = await findFork(pass, candidates);
  deps.log.info({ chainId, head: head.number.toString(), fork: fork?.number.toString() }, 'the chain was reorganised');
  const replaced = fork === undefined && candidates.length > 0;
  if (fork === undefined) {
    const result = await start(pass);
    // Last, because it starts reading at an older block when a transaction of one has vanished.
    await relocateSteps(deps, chainId, { number: -1n, replaced });
    return result;
  }
  await relocateSteps(deps, chainId, { number: fork.number, replaced });
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    await rewindCursor(tx, chainId, fork.number);
  });
  return 'behind';
}

/** The newest candidate that is still on the chain, by binary search. Candidates are sorted newest first. */
async function findFork({ client }: Pass, candidates: readonly BlockId[]): Promise<BlockId | undefined> {
  let [low, high] = [0, candidates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const candidate = candidates[middle];
    const now = candidate === undefined ? undefined : await readBlockId(client, candidate.number);
    if (now !== undefined && now.hash === candidate?.hash) high = middle;
    else low = middle + 1;
  }
  return candidates[low];
}
