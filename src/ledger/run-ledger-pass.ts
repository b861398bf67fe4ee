import type { PublicClient } from 'viem';
import { holdLease, renewingLease } from '../actions/tracker/chain-lease';
import type { PassResult } from '../actions/tracker/run-tracker-once';
import { describeFailure } from '../errors/describe-failure';
import { type BlockPace, createBlockPace } from './block-pace';
import { findFork, problemOfReplay } from './find-fork';
import { createFinalityReader, type FinalityReader } from './finality';
import {
  type BlockPlace,
  type LedgerCursor,
  markCursor,
  readLedgerCursor,
  readKeptBlocks,
  refuseReplay,
  replayAfter,
  resumeCursor,
  rewindLedgerCursor,
  startCursor,
  touchCursor,
} from './ledger-cursor';
import type { LedgerDeps } from './ledger-deps';
import { readHeader } from './read-headers';
import { type Backfiller, createBackfiller } from './run-backfill';
import { createTransferReader, isUnsupported, type NextBlocksResult, type TransferReader } from './read-next-blocks';
import { type ReadBlocks, recordBlockMovements } from './record-block-movements';
import { retryLedgerBlocks } from './retry-ledger-blocks';

/** Follows the transfers of one chain. Remembers what its node can serve. */
export interface ChainLedger {
  /**
   * Reads and records the next blocks. A pass leaves nothing half done: the next one goes on from the last blocks that were
   * recorded.
   *
   * @throws when the chain or the database does not respond
   */
  pass(signal: AbortSignal): Promise<PassResult>;
  /** Time to the next pass over a chain that was read up to its head, in milliseconds. */
  pollDelayMs(): number;
}

interface Pass {
  readonly deps: LedgerDeps;
  readonly chainId: number;
  readonly client: PublicClient;
  readonly reader: TransferReader;
  readonly finality: FinalityReader;
  readonly pace: BlockPace;
  readonly backfiller: Backfiller;
  /** Consecutive passes that found no common block. */
  deepForks: number;
  /** True while possibly no wallet is covered: then blocks may be skipped. */
  mayBeIdle: boolean;
  readonly head: BlockPlace;
  readonly cursor: LedgerCursor;
}

type Chain = Omit<Pass, 'head' | 'cursor'>;

/** A pass reads no other blocks after this time. */
const MAX_READING_MS = 15_000;
/** Passes that must find no common block before the ledger stops: a node behind a load balancer may be on a fork alone. */
const MAX_DEEP_FORKS = 5;

/** `pollMs`: the shortest time between two passes over a chain that was read up to its head. */
export function createChainLedger(deps: LedgerDeps, chainId: number, pollMs = 0): ChainLedger {
  const client = deps.rpc.client(chainId);
  const chain: Chain = {
    deps,
    chainId,
    client,
    reader: createTransferReader(client),
    finality: createFinalityReader(deps, { chainId, client }),
    pace: createBlockPace(pollMs),
    backfiller: createBackfiller(deps, { chainId, client }),
    deepForks: 0,
    mayBeIdle: true,
  };
  return {
    async pass(signal) {
      // Without wallets neither the chain is read nor its lease taken.
      if (!(await watchesAny(deps))) {
        chain.mayBeIdle = true;
        return 'caughtUp';
      }
      if (!(await holdLease(deps, chainId))) return 'elsewhere';
      return renewingLease(deps, chainId, () => runPass(chain, signal));
    },
    pollDelayMs: () => chain.pace.pollDelayMs(),
  };
}

async function runPass(chain: Chain, signal: AbortSignal): Promise<PassResult> {
  const { deps, chainId } = chain;
  const cursor = await readLedgerCursor(deps.database, chainId);
  if (cursor !== undefined && cursor.replayFrom !== null) return replay(chain, cursor, cursor.replayFrom);
  if (cursor?.state === 'stopped') return resumeWhenPossible(chain, cursor);
  const head = await readHeadBlock(chain);
  if (cursor === undefined || (await isNothingCovered(chain))) return start(chain, head);
  const pass: Pass = Object.assign(chain, { head, cursor });
  try {
    const result = await readOn(pass, signal).finally(() => retryLedgerBlocks(deps, chainId, signal));
    // The newest blocks come first.
    if (result === 'caughtUp') await chain.backfiller.step(signal);
    return result;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const reason = `the node does not serve logs: ${describeFailure(error).message}`;
    await markCursor(deps, chainId, { state: 'unsupported', reason: reason.slice(0, 300) });
    return 'idle';
  }
}

async function readHeadBlock({ deps, chainId }: Chain): Promise<BlockPlace> {
  const { number, hash } = await deps.heads.read(chainId);
  return { number, hash: hash.toLowerCase() };
}

const watchesAny = async ({ database }: LedgerDeps): Promise<boolean> =>
  (await database.watchedWallet.findFirst({ select: { id: true } })) !== null;

/** The database decides until this process has read blocks: another replica may have read some meanwhile. */
async function isNothingCovered(chain: Chain): Promise<boolean> {
  if (!chain.mayBeIdle) return false;
  const { deps, chainId } = chain;
  const covered = await deps.database.walletCoverage.findFirst({ where: { chainId, fromBlock: { not: null } } });
  chain.mayBeIdle = covered === null;
  return chain.mayBeIdle;
}

/** The ledger starts at the head: it has no history. */
async function start(chain: Chain, head: BlockPlace): Promise<PassResult> {
  const { deps, chainId, client } = chain;
  const header = await readHeader(client, head.number);
  if (header === undefined) return 'caughtUp';
  await startCursor(deps, chainId, header);
  chain.mayBeIdle = false;
  return 'caughtUp';
}

async function readOn(pass: Pass, signal: AbortSignal): Promise<PassResult> {
  const { deps, chainId, head, cursor, finality } = pass;
  if (head.number <= cursor.number) {
    const [same] = await readKeptBlocks(deps.database, chainId, { number: head.number });
    // A shorter chain is a node that lags, unless it has another block in the same place.
    if (same !== undefined && same.hash !== head.hash) return goBackToFork(pass);
    const finalNumber = await finality.read(cursor);
    await touchCursor(deps, chainId, { cursor, headNumber: head.number, finalNumber });
    return 'caughtUp';
  }
  return readAfter(pass, signal);
}

/**
 * Reads and records the blocks after the cursor, within the bounds of a pass. While blocks are recorded, the next ones are read;
 * they are recorded only after those before them were.
 */
async function readAfter(pass: Pass, signal: AbortSignal): Promise<PassResult> {
  const { head, reader, finality } = pass;
  const until = Date.now() + MAX_READING_MS;
  const final = await finality.read(head);
  const readNext = (after: BlockPlace): Promise<NextBlocksResult> | undefined => {
    if (after.number >= head.number || Date.now() >= until || signal.aborted) return undefined;
    return reader.read({ parent: after, last: head.number, final, signal });
  };
  let parent: BlockPlace = pass.cursor;
  let blocks = await readNext(parent);
  while (blocks !== undefined) {
    if (blocks === 'reorganised') return goBackToFork(pass);
    if (blocks === 'missing') return 'caughtUp';
    const newest = blocks.at(-1)?.header;
    if (newest === undefined) {
      blocks = await readNext(parent); // the range was too large: this one is smaller
      continue;
    }
    const [recorded, next] = await Promise.allSettled([record(pass, { parent, blocks, final }), readNext(newest)]);
    if (recorded.status === 'rejected') throw recorded.reason;
    if (next.status === 'rejected') throw next.reason;
    pass.pace.observe(newest);
    parent = newest;
    blocks = next.value;
  }
  return parent.number === head.number ? 'caughtUp' : 'behind';
}

async function record(
  pass: Pass,
  { final, ...read }: Pick<ReadBlocks, 'parent' | 'blocks'> & { readonly final: bigint },
): Promise<void> {
  const { deps, chainId, head } = pass;
  await recordBlockMovements(deps, { ...read, chainId, headNumber: head.number, finalNumber: final });
  pass.deepForks = 0;
}

/**
 * After a reorganisation: moves the cursor to the newest common block. Without one, or when it is older than a final entry,
 * the ledger stops: an operator has to decide what to read again.
 */
async function goBackToFork(pass: Pass): Promise<PassResult> {
  const { deps, chainId, client } = pass;
  const cursor = await readLedgerCursor(deps.database, chainId);
  if (cursor === undefined) return 'caughtUp';
  const kept = await readKeptBlocks(deps.database, chainId, { number: { lte: pass.head.number } });
  const found = await findFork(client, kept);
  if (found === 'missing') return 'caughtUp';
  if (found !== undefined && found.number >= cursor.finalNumber) {
    if (found.number === cursor.number) return 'caughtUp'; // another node responds now
    const fork = await readHeader(client, found.number);
    if (fork?.hash !== found.hash) return 'caughtUp';
    deps.log.info({ chainId, fork: fork.number.toString() }, 'the ledger goes back after a reorganisation');
    await rewindLedgerCursor(deps, chainId, { cursor, fork });
    return 'behind';
  }
  pass.deepForks += 1;
  if (pass.deepForks < MAX_DEEP_FORKS) return 'caughtUp';
  const common = found === undefined ? 'no block that was recorded' : `block ${found.number.toString()}`;
  const reason =
    `the chain was reorganised behind block ${cursor.finalNumber.toString()}, which was final: it still has ${common}. ` +
    'Check the node, then run "admin index replay"';
  deps.log.warn({ chainId, reason }, 'the ledger of a chain stopped');
  await markCursor(deps, chainId, { state: 'stopped', reason });
  return 'idle';
}

async function resumeWhenPossible({ deps, chainId, client }: Chain, cursor: LedgerCursor): Promise<PassResult> {
  const now = await readHeader(client, cursor.number);
  if (now?.hash !== cursor.hash) return 'idle';
  await resumeCursor(deps, chainId);
  return 'behind';
}

/** Reads the blocks from `requested` on again, on the request of an operator. Never skips blocks. */
async function replay({ deps, chainId, client }: Chain, cursor: LedgerCursor, requested: bigint): Promise<PassResult> {
  const first = requested > cursor.number + 1n ? cursor.number + 1n : requested;
  const parent = await readHeader(client, first - 1n);
  const problem = await problemOfReplay(deps.database, client, { chainId, parentNumber: first - 1n });
  if (parent === undefined || problem !== undefined) {
    const reason = problem ?? `the node does not have block ${(first - 1n).toString()}`;
    deps.log.warn({ chainId, reason }, 'the ledger does not read blocks again');
    await refuseReplay(deps, chainId, { requested, reason: `The replay was refused: ${reason}` });
    return 'behind';
  }
  await replayAfter(deps, chainId, { parent, requested });
  deps.log.info({ chainId, first: first.toString() }, 'the ledger reads blocks again');
  return 'behind';
}
