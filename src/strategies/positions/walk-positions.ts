import type { PublicClient } from 'viem';
import { anySignal } from '../../async/any-signal';
import { describeFailure } from '../../errors/describe-failure';
import { maxBigInt, minBigInt } from '../../money/min-max';
import { isRangeRefused, maximumBlocks, suggestedBlocks } from '../../rpc/log-range-limit';
import { isTimeout, isTooLarge } from '../../rpc/rpc-failure';
import type { Strategy } from '../strategy';
import { hashOf } from './hash-of';
import { addWalkers, openWalkers, versionOf, type Walker } from './open-walkers';
import type { PositionDeps } from './position-deps';
import { addEntries, isFull, type PositionEntry, type PositionTotal } from './position-entry';
import { type PositionProgress, saveProgress, type StoredPosition } from './position-store';
import { findRange, type FoundRange, type RangeEntries, type RangeRequest, readRange } from './read-range';
import type { Walk, WalkRequest } from './walk';
import { readersOf } from './wallet-orders';

/** A position with its changes up to the requested block, as far as they were read. */
export interface WalkedPosition {
  readonly strategy: Strategy;
  readonly stored: StoredPosition;
  /** Sum of the stored and the recent entries. */
  readonly total: PositionTotal;
  /** Entries of blocks that are not final. They are read again each time, since their blocks may be replaced. */
  readonly recent: readonly PositionEntry[];
  /** True when all blocks up to the requested one were read. */
  readonly isComplete: boolean;
}

/** Blocks without entries after which the progress is stored: a request seldom writes. */
const SAVE_EVERY = 64n;
const STORE_MS = 1000;

/**
 * Reads the changes of a wallet's positions on one chain: from where they are stored up to a block, all strategies together.
 * New positions are read after the known ones, whatever happens to them. Entries of final blocks are stored. A walk that ends
 * early is continued by a worker. Never throws for a chain: what was not read is incomplete.
 */
export async function walkPositions(deps: PositionDeps, request: WalkRequest): Promise<readonly WalkedPosition[]> {
  const { signal, readMs } = request;
  const walk: Walk = {
    ...request,
    reading: anySignal(signal, AbortSignal.timeout(readMs)),
    storing: anySignal(signal, AbortSignal.timeout(readMs + STORE_MS)),
  };
  const walkers = await walkAll(deps, walk);
  return walkers.map(({ strategy, stored, total, recent, next }) => ({
    strategy,
    stored,
    total,
    recent,
    isComplete: next > request.head,
  }));
}

async function walkAll(deps: PositionDeps, walk: Walk): Promise<readonly Walker[]> {
  const walkers: Walker[] = [];
  try {
    // After the last block was determined: the order of a transfer in an earlier block is stored already.
    const readers = await readersOf(deps, walk.owner, walk.strategies);
    const opened = await openWalkers(deps, { walk, readers });
    walkers.push(...opened.walkers);
    const adding = addWalkers(deps, { walk, readers }, opened.added);
    await readAll(deps, walk, opened.walkers).catch((error: unknown) => noteFailure(deps, walk, error));
    const added = await adding;
    walkers.push(...added);
    await readAll(deps, walk, added);
  } catch (error) {
    noteFailure(deps, walk, error);
  }
  return walkers;
}

function noteFailure({ log }: PositionDeps, { chain, reading }: Walk, error: unknown): void {
  if (reading.aborted) return;
  log.warn(
    { chain: chain.slug, cause: describeFailure(error) },
    'the history of positions could not be read completely; a worker continues later',
  );
}

async function readAll(deps: PositionDeps, walk: Walk, walkers: readonly Walker[]): Promise<void> {
  const key = { owner: walk.owner, chainId: walk.chain.chainId };
  for (let count = 0; count < walk.maxRanges; count += 1) {
    const open = walkers.filter(({ next, total }) => next <= walk.head && !isFull(total, deps.maxEntries));
    const [first, ...others] = open.map(({ next }) => next);
    if (first === undefined) return;
    walk.reading.throwIfAborted();
    const fromBlock = minBigInt(first, ...others);
    const group = open.filter(({ next }) => next === fromBlock);
    const later = open.filter(({ next }) => next > fromBlock).map(({ next }) => next - 1n);
    const size = deps.rangeSizes.get(key);
    const toBlock = minBigInt(walk.head, fromBlock + size - 1n, ...later);
    const range = await readOrShrink(deps, walk, { group, fromBlock, toBlock });
    if (range === undefined) continue;
    if (range.toBlock - fromBlock + 1n >= size) deps.rangeSizes.accepted(key);
    advance(walk, group, range);
    await save(deps, walk, group);
  }
}

interface WalkRange {
  readonly group: readonly Walker[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** `undefined` when the node refused the range, or took too long: the next one is smaller. */
async function readOrShrink(
  deps: PositionDeps,
  walk: Walk,
  { group, fromBlock, toBlock }: WalkRange,
): Promise<RangeEntries | undefined> {
  const { chain, owner, reading } = walk;
  const followed = group.map(({ strategy, protocol, total }) => ({
    strategy,
    protocol,
    shares: total.unvalued === 0 ? total.state.shares : undefined,
  }));
  const request = { chain, wallet: owner.wallet, followed, fromBlock, toBlock, signal: reading };
  return deps.rpc.request(chain.chainId, async (client) => {
    const found = await findOrShrink(deps, walk, { client, request });
    return found === undefined ? undefined : readRange(client, request, found);
  });
}

/** So few blocks do not slow down a search. */
const FEW_BLOCKS = 16n;

/** Only the search for logs depends on the number of blocks: a receipt that is too large does not depend on it. */
async function findOrShrink(
  { rangeSizes }: PositionDeps,
  { owner, chain, reading, signal }: Walk,
  { client, request }: { readonly client: PublicClient; readonly request: RangeRequest },
): Promise<FoundRange | undefined> {
  const requested = request.toBlock - request.fromBlock + 1n;
  try {
    return await findRange(client, request);
  } catch (error) {
    const isSlow = requested > FEW_BLOCKS && !signal.aborted && (reading.aborted || isTimeout(error));
    const isRefused = requested > 1n && (isTooLarge(error) || isRangeRefused(error));
    if (!isSlow && !isRefused) throw error;
    const suggested = suggestedBlocks(error, Number.parseInt(requested.toString(), 10));
    const maximum = isRefused ? maximumBlocks(error) : undefined;
    rangeSizes.refused({ owner, chainId: chain.chainId }, { requested, suggested, maximum });
    return undefined;
  }
}

const finalBlock = ({ chain, head }: Walk): bigint => maxBigInt(0n, head - BigInt(chain.confirmations));

function advance(walk: Walk, group: readonly Walker[], { toBlock, entries }: RangeEntries): void {
  const final = finalBlock(walk);
  for (const [index, walker] of group.entries()) {
    const all = entries[index] ?? [];
    const finals = all.filter(({ blockNumber }) => blockNumber <= final);
    walker.next = toBlock + 1n;
    walker.total = addEntries(walker.total, all);
    walker.finalTotal = addEntries(walker.finalTotal, finals);
    walker.unsaved = [...walker.unsaved, ...finals];
    walker.recent = [...walker.recent, ...all.filter(({ blockNumber }) => blockNumber > final)];
  }
}

async function save(deps: PositionDeps, walk: Walk, group: readonly Walker[]): Promise<void> {
  const final = finalBlock(walk);
  const due = group.filter((walker) => isDue(walker, final));
  const [first] = due;
  if (first === undefined) return;
  const last = minBigInt(first.next - 1n, final);
  const { chainId } = walk.chain;
  const lastHash = await deps.rpc.request(chainId, (client) => hashOf(client, last, walk.storing));
  const isComplete = last >= final;
  const progress = due.map((walker): PositionProgress => ({
    strategyId: walker.stored.strategyId,
    fromBlock: walker.stored.nextBlock,
    eventVersion: versionOf(walker.protocol),
    nextBlock: last + 1n,
    lastHash,
    entries: walker.unsaved,
    total: walker.finalTotal,
    isComplete,
    isFull: isFull(walker.total, deps.maxEntries),
  }));
  await saveProgress(deps.database, walk.owner, progress);
  for (const walker of due) {
    walker.stored = { ...walker.stored, nextBlock: last + 1n, lastHash, total: walker.finalTotal, isComplete };
    walker.unsaved = [];
  }
}

function isDue({ stored, next, unsaved }: Walker, final: bigint): boolean {
  const last = minBigInt(next - 1n, final);
  if (last < stored.nextBlock) return false;
  return unsaved.length > 0 || !stored.isComplete || last - stored.nextBlock >= SAVE_EVERY;
}
