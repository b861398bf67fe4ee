import type { PublicClient } from 'viem';
import { rejectOnAbort } from '../../async/race-abort';
import type { Chain } from '../../chains/chain';
import { describeFailure } from '../../errors/describe-failure';
import { maxBigInt, minBigInt } from '../../money/min-max';
import { isRangeRefused, suggestedBlocks } from '../../rpc/log-range-limit';
import { isTooLarge } from '../../rpc/rpc-failure';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { PositionDeps } from './position-deps';
import { addEntries, type PositionEntry, type PositionTotal } from './position-entry';
import {
  createPositions,
  findPositions,
  type PositionOwner,
  type PositionProgress,
  resetPositions,
  saveProgress,
  type StoredPosition,
} from './position-store';
import { type RangeEntries, readRange } from './read-range';
import { groupBy } from './group-by';

export interface WalkRequest {
  readonly owner: PositionOwner;
  readonly chain: Chain;
  readonly strategies: readonly Strategy[];
  /** Last block to read. */
  readonly head: bigint;
  readonly maxRanges: number;
  readonly signal: AbortSignal;
}

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

/** The state of one walk. */
interface Walker {
  readonly strategy: Strategy;
  readonly protocol: Protocol;
  stored: StoredPosition;
  /** First block that was not read. */
  next: bigint;
  total: PositionTotal;
  /** Without the recent entries. */
  finalTotal: PositionTotal;
  recent: readonly PositionEntry[];
  unsaved: readonly PositionEntry[];
}

/** Blocks without entries after which the progress is stored: a request seldom writes. */
const SAVE_EVERY = 64n;

/**
 * Reads the changes of a wallet's positions on one chain: from where they are stored up to a block, all strategies together.
 * Entries of final blocks are stored. A walk that ends early is continued by a worker. Never throws for a chain: what was not
 * read is incomplete.
 */
export async function walkPositions(deps: PositionDeps, request: WalkRequest): Promise<readonly WalkedPosition[]> {
  const walkers: Walker[] = [];
  try {
    walkers.push(...(await openWalkers(deps, request)));
    await walk(deps, request, walkers);
  } catch (error) {
    if (!request.signal.aborted) {
      deps.log.warn(
        { chain: request.chain.slug, cause: describeFailure(error) },
        'the history of positions could not be read to its end, and is read on later',
      );
    }
  }
  return walkers.map(({ strategy, stored, total, recent, next }) => ({
    strategy,
    stored,
    total,
    recent,
    isComplete: next > request.head,
  }));
}

async function openWalkers(deps: PositionDeps, request: WalkRequest): Promise<readonly Walker[]> {
  const { owner, strategies, chain } = request;
  const known = await findPositions(deps.database, owner, strategies.map(idOf));
  const added = strategies.filter((strategy) => !known.has(idOf(strategy)));
  if (added.length > 0) await addPositions(deps, request, added);
  const stored = added.length === 0 ? known : await findPositions(deps.database, owner, strategies.map(idOf));
  const replaced = await findReplaced(deps, request, [...stored.values()]);
  if (replaced.length > 0) {
    deps.log.warn(
      { chain: chain.slug, positions: replaced.length },
      'final blocks were replaced: positions start anew',
    );
    await resetPositions(deps.database, owner, replaced);
  }
  const current = replaced.length === 0 ? stored : await findPositions(deps.database, owner, strategies.map(idOf));
  return strategies.flatMap((strategy) => {
    const [position, protocol] = [current.get(idOf(strategy)), deps.protocols[strategy.row.protocol]];
    return position === undefined || protocol === undefined ? [] : newWalker(strategy, protocol, position);
  });
}

const idOf = ({ row }: Strategy): string => row.id.toLowerCase();

const newWalker = (strategy: Strategy, protocol: Protocol, stored: StoredPosition): Walker => ({
  strategy,
  protocol,
  stored,
  next: stored.nextBlock,
  total: stored.total,
  finalTotal: stored.total,
  recent: [],
  unsaved: [],
});

const MAX_STORED_POSITIONS = 20_000;

async function addPositions(
  { database, startBlocks, maxStoredPositions = MAX_STORED_POSITIONS }: PositionDeps,
  { owner, signal }: WalkRequest,
  strategies: readonly Strategy[],
): Promise<void> {
  const starts = strategies.map(async (strategy) => ({
    strategyId: idOf(strategy),
    chainId: strategy.chain.chainId,
    startBlock: await rejectOnAbort(startBlocks.find(strategy), signal),
  }));
  await createPositions(database, owner, { positions: await Promise.all(starts), maximum: maxStoredPositions });
}

/** Positions whose last block is no longer part of the chain. */
async function findReplaced(
  { rpc }: PositionDeps,
  { chain, signal, head }: WalkRequest,
  positions: readonly StoredPosition[],
): Promise<readonly string[]> {
  const walked = positions.filter(({ lastHash, nextBlock }) => lastHash !== undefined && nextBlock <= head + 1n);
  const groups = [...groupBy(walked, ({ nextBlock, lastHash }) => `${nextBlock}:${lastHash ?? ''}`).values()];
  const replaced = groups.map(async (group) => {
    const [first] = group;
    if (first === undefined) return [];
    const hash = await rpc.request(chain.chainId, (client) => hashOf(client, first.nextBlock - 1n, signal));
    return hash === first.lastHash ? [] : group.map(({ strategyId }) => strategyId);
  });
  return (await Promise.all(replaced)).flat();
}

async function hashOf(client: PublicClient, blockNumber: bigint, signal: AbortSignal): Promise<string> {
  const { hash } = await rejectOnAbort(client.getBlock({ blockNumber }), signal);
  return hash.toLowerCase();
}

async function walk(deps: PositionDeps, request: WalkRequest, walkers: readonly Walker[]): Promise<void> {
  for (let count = 0; count < request.maxRanges; count += 1) {
    const open = walkers.filter(({ next }) => next <= request.head);
    const [first, ...others] = open.map(({ next }) => next);
    if (first === undefined) return;
    request.signal.throwIfAborted();
    const fromBlock = minBigInt(first, ...others);
    const group = open.filter(({ next }) => next === fromBlock);
    const later = open.filter(({ next }) => next > fromBlock).map(({ next }) => next - 1n);
    const size = deps.rangeSizes.get(request.chain.chainId);
    const toBlock = minBigInt(request.head, fromBlock + size - 1n, ...later);
    const range = await readOrShrink(deps, request, { group, fromBlock, toBlock });
    if (range === undefined) continue;
    if (range.toBlock - fromBlock + 1n >= size) deps.rangeSizes.accepted(request.chain.chainId);
    advance(request, group, range);
    await save(deps, request, group);
  }
}

interface WalkRange {
  readonly group: readonly Walker[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** `undefined` when the node refused the range: the next one is smaller. */
async function readOrShrink(
  { rpc, rangeSizes }: PositionDeps,
  { chain, owner: { wallet }, signal }: WalkRequest,
  { group, fromBlock, toBlock }: WalkRange,
): Promise<RangeEntries | undefined> {
  const followed = group.map(({ strategy, protocol, total }) => ({
    strategy,
    protocol,
    shares: total.unvalued === 0 ? total.state.shares : undefined,
  }));
  const requested = toBlock - fromBlock + 1n;
  return rpc.request(chain.chainId, async (client) => {
    try {
      return await readRange(client, { chain, wallet, followed, fromBlock, toBlock, signal });
    } catch (error) {
      if (requested === 1n || !(isTooLarge(error) || isRangeRefused(error))) throw error;
      const suggested = suggestedBlocks(error, Number.parseInt(requested.toString(), 10));
      rangeSizes.refused(chain.chainId, requested, suggested);
      return undefined;
    }
  });
}

const finalBlock = ({ chain, head }: WalkRequest): bigint => maxBigInt(0n, head - BigInt(chain.confirmations));

function advance(request: WalkRequest, group: readonly Walker[], { toBlock, entries }: RangeEntries): void {
  const final = finalBlock(request);
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

async function save(deps: PositionDeps, request: WalkRequest, group: readonly Walker[]): Promise<void> {
  const final = finalBlock(request);
  const due = group.filter((walker) => isDue(walker, final));
  const [first] = due;
  if (first === undefined) return;
  const last = minBigInt(first.next - 1n, final);
  const { chainId } = request.chain;
  const lastHash = await deps.rpc.request(chainId, (client) => hashOf(client, last, request.signal));
  const isComplete = last >= final;
  const progress = due.map((walker): PositionProgress => ({
    strategyId: walker.stored.strategyId,
    fromBlock: walker.stored.nextBlock,
    nextBlock: last + 1n,
    lastHash,
    entries: walker.unsaved,
    total: walker.finalTotal,
    isComplete,
  }));
  await saveProgress(deps.database, request.owner, progress);
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
