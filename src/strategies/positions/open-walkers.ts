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

/** A walk, and the adapters of its strategies for its wallet. */
export interface AdaptedWalk {
  readonly walk: Walk;
  readonly readers: ReadonlyMap<Strategy, ProtocolReader>;
}

/** The walkers of positions that are stored. */
export async function openWalkers(deps: PositionDeps, adapted: AdaptedWalk): Promise<OpenWalkers> {
  const { walk, readers } = adapted;
  const { owner, strategies, chain } = walk;
  const stored = await findPositions(deps.database, owner, strategies.map(idOf));
  const earlier = earlierVersions(stored, readers);
  const kept = [...stored.values()].filter(({ strategyId }) => !earlier.has(strategyId));
  const replaced = await findReplaced(deps, walk, kept);
  if (replaced.length > 0) {
    deps.log.warn(
      { chain: chain.slug, positions: replaced.length },
      'final blocks were replaced: positions start anew',
    );
    await resetPositions(deps.database, owner, { strategyIds: replaced });
  }
  await readAnew(deps, walk, earlier);
  const isChanged = replaced.length + earlier.size > 0;
  const current = isChanged ? await findPositions(deps.database, owner, strategies.map(idOf)) : stored;
  return {
    walkers: walkersOf(adapted, strategies, current),
    added: strategies.filter((strategy) => !stored.has(idOf(strategy))),
  };
}

/** Version of the rules with which this process makes entries from logs. */
export const versionOf = ({ events }: ProtocolReader): number => events.version ?? 0;

/** Positions whose entries follow earlier rules, with the version of this process. */
function earlierVersions(
  stored: ReadonlyMap<string, StoredPosition>,
  readers: AdaptedWalk['readers'],
): ReadonlyMap<string, number> {
  const versions = [...readers].map(([strategy, reader]) => [idOf(strategy), versionOf(reader)] as const);
  return new Map(versions.filter(([id, version]) => (stored.get(id)?.eventVersion ?? version) < version));
}

/** Removes entries of earlier rules: their blocks are read again. */
async function readAnew(
  { database }: Pick<PositionDeps, 'database'>,
  { owner }: Pick<Walk, 'owner'>,
  earlier: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [eventVersion, strategyIds] of groupBy([...earlier.keys()], (id) => earlier.get(id) ?? 0))
    await resetPositions(database, owner, { strategyIds, eventVersion });
}

const walkersOf = (
  { readers }: AdaptedWalk,
  strategies: readonly Strategy[],
  stored: ReadonlyMap<string, StoredPosition>,
): readonly Walker[] =>
  strategies.flatMap((strategy) => {
    const [position, protocol] = [stored.get(idOf(strategy)), readers.get(strategy)];
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
  adapted: AdaptedWalk,
  added: readonly Strategy[],
): Promise<readonly Walker[]> {
  const { walk, readers } = adapted;
  if (added.length === 0) return [];
  const { database, maxStoredPositions = MAX_STORED_POSITIONS } = deps;
  const starts = await Promise.all(added.map((strategy) => findStart(deps, walk, strategy)));
  const positions = added.flatMap((strategy, index) => {
    const [startBlock, reader] = [starts[index], readers.get(strategy)];
    return startBlock === undefined || reader === undefined
      ? []
      : [
          {
            strategyId: idOf(strategy),
            chainId: strategy.chain.chainId,
            startBlock,
            eventVersion: versionOf(reader),
          },
        ];
  });
  if (positions.length === 0) return [];
  try {
    await createPositions(database, walk.owner, { positions, maximum: maxStoredPositions });
    return walkersOf(adapted, added, await findPositions(database, walk.owner, added.map(idOf)));
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
