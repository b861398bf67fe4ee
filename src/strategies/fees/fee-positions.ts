import type { Database } from '../../persistence/database';
import { slugOf, slugsOf } from '../catalog/merge-rows';
import { readWalletCollections, type WalletCollections } from '../collection/collected-marks';
import { groupBy } from '../positions/group-by';
import type { PositionEntry } from '../positions/position-entry';
import { entryOf } from '../positions/entry-store';
import type { PositionOwner } from '../positions/position-store';
import { type PositionState, raiseCost } from '../positions/position-state';
import type { PositionReading } from '../positions/read-positions';
import { type FeeMark, profitBpsOf } from '../strategy-fees';
import type { CustomerFees } from './customer-fees';
import { type ChargedProfit, feeBasis } from './fee-basis';

/** Stored entries that are loaded for the positions of one request. */
const MAX_ENTRIES = 20_000;

export interface FeePositionDeps {
  readonly database: Pick<Database, 'positionEntry' | 'collectionItem'>;
  /** Stored entries that are loaded for the positions of one request; 20,000 by default. */
  readonly maxFeeEntries?: number;
}

export interface FeePositionsRequest {
  readonly owner: PositionOwner;
  readonly readings: readonly PositionReading[];
  readonly fees: CustomerFees;
  /** True for the collection itself: its own transaction, which is not sent yet, does not count as charged. */
  readonly isCollecting?: boolean;
}

/**
 * The positions with the costs from which profit is charged, in the order of the readings; `undefined` where they are
 * uncertain. What collections have charged counts as cost, and everything until now while one may be executed. Two queries for
 * those with fees on profit; none without.
 */
export async function readFeePositions(
  deps: FeePositionDeps,
  { owner, readings, fees, isCollecting = false }: FeePositionsRequest,
): Promise<readonly (PositionState | undefined)[]> {
  const charged = readings.filter(({ state, strategy }) => state !== undefined && profitBpsOf(fees.of(strategy)) > 0);
  const slugs = charged.flatMap(({ strategy }) => slugsOf(strategy.row));
  const collections = await readWalletCollections(deps, owner, slugs);
  const basesOf = new Map(charged.map((reading) => [reading, feeBasesOf(reading, fees, collections)]));
  const marked = charged.filter((reading) => basesOf.get(reading)?.marks.length !== 0);
  const stored = await readStoredEntries(deps, owner, marked);
  return readings.map((reading) => {
    const { marks, isUnresolved } = basesOf.get(reading) ?? NO_BASES;
    const state = marks.length === 0 ? reading.state : markedState(reading, stored, marks);
    return state !== undefined && isUnresolved && !isCollecting ? raiseCost(state, reading.holding.value) : state;
  });
}

interface FeeBases {
  readonly marks: readonly (FeeMark | ChargedProfit)[];
  readonly isUnresolved: boolean;
}
const NO_BASES: FeeBases = { marks: [], isUnresolved: false };

/** The marks of the fees and the charged profit, in the order of the chain. Charged profit is the first of its block. */
function feeBasesOf(
  { strategy }: PositionReading,
  fees: CustomerFees,
  collections: ReadonlyMap<string, WalletCollections>,
): FeeBases {
  const own = slugsOf(strategy.row).flatMap((slug) => collections.get(slug) ?? []);
  const marks = [...own.flatMap(({ charged }) => charged), ...fees.of(strategy).marks];
  return {
    marks: marks.sort(inOrderOfBlocks),
    isUnresolved: own.some(({ isUnresolved }) => isUnresolved),
  };
}

function inOrderOfBlocks({ blockNumber: one }: OfBlock, { blockNumber: other }: OfBlock): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
type OfBlock = Pick<FeeMark, 'blockNumber'>;

type EntriesByStrategy = ReadonlyMap<string, readonly PositionEntry[]>;

/** `undefined` when the positions have too many entries together. */
async function readStoredEntries(
  { database, maxFeeEntries = MAX_ENTRIES }: FeePositionDeps,
  owner: PositionOwner,
  readings: readonly PositionReading[],
): Promise<EntriesByStrategy | undefined> {
  if (readings.length === 0) return new Map();
  const expected = readings.reduce((count, { total }) => count + (total?.entries ?? 0), 0);
  if (expected > maxFeeEntries) return undefined;
  const rows = await database.positionEntry.findMany({
    where: { ...owner, strategyId: { in: readings.map(({ strategy }) => slugOf(strategy.row.id)) } },
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
    take: maxFeeEntries + 1,
  });
  if (rows.length > maxFeeEntries) return undefined;
  const byStrategy = groupBy(rows, ({ strategyId }) => strategyId);
  return new Map([...byStrategy].map(([id, own]) => [id, own.flatMap((row) => entryOf(row) ?? [])]));
}

/** `undefined` unless the entries are those of the reading: another request may have stored or removed some meanwhile. */
function markedState(
  { strategy, state, total, recent }: PositionReading,
  stored: EntriesByStrategy | undefined,
  marks: FeeBases['marks'],
): PositionState | undefined {
  if (stored === undefined || state === undefined) return undefined;
  const firstRecent = recent[0]?.blockNumber;
  const final = (stored.get(slugOf(strategy.row.id)) ?? []).filter(
    ({ blockNumber }) => firstRecent === undefined || blockNumber < firstRecent,
  );
  const entries = [...final, ...recent];
  if (entries.length !== (total?.entries ?? 0)) return undefined;
  const basis = feeBasis(entries, marks);
  // The shares of the chain count, as in the reading: a protocol may round otherwise than its events state.
  return { ...basis, shares: state.shares, cost: state.shares === 0n ? 0n : basis.cost };
}
