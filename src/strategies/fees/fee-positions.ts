import type { Database } from '../../persistence/database';
import { slugOf } from '../catalog/merge-rows';
import { groupBy } from '../positions/group-by';
import type { PositionEntry } from '../positions/position-entry';
import { entryOf, type PositionOwner } from '../positions/position-store';
import type { PositionState } from '../positions/position-state';
import type { PositionReading } from '../positions/read-positions';
import { type FeeMark, profitBpsOf } from '../strategy-fees';
import type { CustomerFees } from './customer-fees';
import { feeBasis } from './fee-basis';

/** Stored entries that are loaded for the positions of one request. */
const MAX_ENTRIES = 20_000;

export interface FeePositionDeps {
  readonly database: Pick<Database, 'positionEntry'>;
  /** Stored entries that are loaded for the positions of one request; 20,000 by default. */
  readonly maxFeeEntries?: number;
}

/**
 * The positions with the costs from which profit is charged, in the order of the readings; `undefined` where they are
 * uncertain. One query for those with marks; none without.
 */
export async function readFeePositions(
  deps: FeePositionDeps,
  {
    owner,
    readings,
    fees,
  }: { readonly owner: PositionOwner; readonly readings: readonly PositionReading[]; readonly fees: CustomerFees },
): Promise<readonly (PositionState | undefined)[]> {
  const marks = readings.map(({ state, strategy }) => (state === undefined ? [] : marksFor(fees, strategy)));
  const marked = readings.filter((_, index) => marks[index]?.length !== 0);
  const stored = await readStoredEntries(deps, owner, marked);
  return readings.map((reading, index) => {
    const own = marks[index] ?? [];
    return own.length === 0 ? reading.state : markedState(reading, stored, own);
  });
}

/** Without fees on profit it does not matter from which cost profit counts. */
function marksFor(fees: CustomerFees, strategy: PositionReading['strategy']): readonly FeeMark[] {
  const own = fees.of(strategy);
  return profitBpsOf(own) === 0 ? [] : own.marks;
}

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
  marks: readonly FeeMark[],
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
