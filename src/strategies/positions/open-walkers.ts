import { resolveOnAbort } from '../../async/race-abort';
import { describeFailure } from '../../errors/describe-failure';
import type { ProtocolReader } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { groupBy } from './group-by';
import { hashOf } from './hash-of';
import type { PositionDeps } from './position-deps';
import type { PositionEntry, PositionTotal } from './position-entry';
import { createPositions, findPositions, resetPositions, type StoredPosition } from './position-store';
import type { Walk } from './walk';

/** The state of one walk. */
export interface Walker {
  readonly strategy: Strategy;
  readonly protocol: ProtocolReader;
  stored: StoredPosition;
  /** First block that was not read. */
  next: bigint;
  total: PositionTotal;
  /** Without the recent entries. */
  finalTotal: PositionTotal;
  recent: readonly PositionEntry[];
  unsaved: readonly PositionEntry[];
}

export interface OpenWalkers {
  readonly walkers: readonly Walker[];
  /** Strategies whose positions are not stored yet. */
  readonly added: readonly Strategy[];
}

/** The walkers of positions that are stored. */
export async function openWalkers(deps: PositionDeps, walk: Walk): Promise<OpenWalkers> {
  const { owner, strategies, chain } = walk;
  const stored = await findPositions(deps.database, owner, strategies.map(idOf));
  const replaced = await findReplaced(deps, walk, [...stored.values()]);
  if (replaced.length > 0) {
    deps.log.warn(
      { chain: chain.slug, positions: replaced.length },
      'final blocks were replaced: positions start anew',
    );
    await resetPositions(deps.database, owner, replaced);
  }
  const current = replaced.length === 0 ? stored : await findPositions(deps.database, owner, strategies.map(idOf));
  return {
    walkers: walkersOf(deps, strategies, current),
    added: strategies.filter((strategy) => !stored.has(idOf(strategy))),
  };
}

const walkersOf = (
  { protocols }: PositionDeps,
  strategies: readonly Strategy[],
  stored: ReadonlyMap<string, StoredPosition>,
): readonly Walker[] =>
  strategies.flatMap((strategy) => {
    const [position, protocol] = [stored.get(idOf(strategy)), protocols[strategy.row.protocol]];
    return position === undefined || protocol === undefined ? [] : newWalker(strategy, protocol, position);
  });

const idOf = ({ row }: Strategy): string => row.id.toLowerCase();

const newWalker = (strategy: Strategy, protocol: ProtocolReader, stored: StoredPosition): Walker => ({
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

/**
 * Stores new positions, and returns their walkers. One whose start block cannot be found in time is left out until a later
 * request: the search goes on meanwhile. Never throws.
 */
export async function addWalkers(
  deps: PositionDeps,
  walk: Walk,
  added: readonly Strategy[],
): Promise<readonly Walker[]> {
  if (added.length === 0) return [];
  const { database, maxStoredPositions = MAX_STORED_POSITIONS } = deps;
  const starts = await Promise.all(added.map((strategy) => findStart(deps, walk, strategy)));
  const positions = added.flatMap((strategy, index) => {
    const startBlock = starts[index];
    return startBlock === undefined
      ? []
      : [{ strategyId: idOf(strategy), chainId: strategy.chain.chainId, startBlock }];
  });
  if (positions.length === 0) return [];
  try {
    await createPositions(database, walk.owner, { positions, maximum: maxStoredPositions });
    return walkersOf(deps, added, await findPositions(database, walk.owner, added.map(idOf)));
  } catch (error) {
    deps.log.warn({ chain: walk.chain.slug, cause: describeFailure(error) }, 'positions could not be stored');
    return [];
  }
}

async function findStart(
  { startBlocks, log }: PositionDeps,
  { reading, chain }: Walk,
  strategy: Strategy,
): Promise<bigint | undefined> {
  try {
    return await resolveOnAbort(startBlocks.find(strategy), reading);
  } catch (error) {
    log.warn({ chain: chain.slug, cause: describeFailure(error) }, 'the first block of a strategy could not be found');
    return undefined;
  }
}

/** Positions whose last block is no longer part of the chain. */
async function findReplaced(
  { rpc }: PositionDeps,
  { chain, reading, head }: Walk,
  positions: readonly StoredPosition[],
): Promise<readonly string[]> {
  const walked = positions.filter(({ lastHash, nextBlock }) => lastHash !== undefined && nextBlock <= head + 1n);
  const groups = [...groupBy(walked, ({ nextBlock, lastHash }) => `${nextBlock}:${lastHash ?? ''}`).values()];
  const replaced = groups.map(async (group) => {
    const [first] = group;
    if (first === undefined) return [];
    const hash = await rpc.request(chain.chainId, (client) => hashOf(client, first.nextBlock - 1n, reading));
    return hash === first.lastHash ? [] : group.map(({ strategyId }) => strategyId);
  });
  return (await Promise.all(replaced)).flat();
}
