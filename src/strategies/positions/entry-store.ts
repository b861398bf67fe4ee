import type { Hex } from 'viem';
import type { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import { POSITION_CHANGE_KINDS } from '../protocols/protocol';
import { groupBy } from './group-by';
import type { PositionEntry } from './position-entry';
import type { PositionOwner } from './position-store';

const optionalBigint = (column: Prisma.Decimal | null): bigint | undefined =>
  column === null ? undefined : BigInt(column.toFixed());

type EntryRow = Prisma.PositionEntryGetPayload<object>;

/** The entry of a row; `undefined` for a kind that this version does not know. */
export const entryOf = (row: EntryRow): PositionEntry | undefined => {
  const kind = POSITION_CHANGE_KINDS.find((each) => each === row.kind);
  if (kind === undefined) return undefined;
  return {
    kind,
    shares: optionalBigint(row.shares),
    assets: optionalBigint(row.assets),
    sharePriceRay: optionalBigint(row.sharePriceRay),
    txHash: row.txHash as Hex,
    blockNumber: row.blockNumber,
    blockHash: row.blockHash as Hex,
    logIndex: row.logIndex,
    at: row.at,
  };
};

export interface EntrySlice {
  readonly skip: number;
  readonly take: number;
  /** Only entries of earlier blocks. */
  readonly before: bigint | undefined;
}

/** Stored entries of a position, the newest first. */
export async function listStoredEntries(
  database: Database,
  { strategyId, ...owner }: PositionOwner & { readonly strategyId: string },
  { skip, take, before }: EntrySlice,
): Promise<readonly PositionEntry[]> {
  const rows = await database.positionEntry.findMany({
    where: { ...owner, strategyId, ...(before === undefined ? {} : { blockNumber: { lt: before } }) },
    orderBy: [{ blockNumber: 'desc' }, { logIndex: 'desc' }],
    skip,
    take,
  });
  return rows.flatMap((row) => entryOf(row) ?? []);
}

/** Entries of one position that are considered for its yields. */
const MAX_RECENT_ENTRIES = 1000;

/**
 * Stored entries of positions since a time, the oldest first. A position with more than 1,000 of them is left out, and all are
 * when they have too many together.
 */
export async function findEntriesSince(
  database: Database,
  owner: PositionOwner,
  { strategyIds, since }: { readonly strategyIds: readonly string[]; readonly since: Date },
): Promise<ReadonlyMap<string, readonly PositionEntry[]>> {
  const take = MAX_RECENT_ENTRIES * strategyIds.length + 1;
  const rows = await database.positionEntry.findMany({
    where: { ...owner, strategyId: { in: [...strategyIds] }, at: { gte: since } },
    orderBy: [{ blockNumber: 'desc' }, { logIndex: 'desc' }],
    take,
  });
  if (rows.length === take) return new Map();
  const byStrategy = groupBy(rows.reverse(), ({ strategyId }) => strategyId);
  return new Map(
    strategyIds.flatMap((id) => {
      const own = byStrategy.get(id) ?? [];
      return own.length > MAX_RECENT_ENTRIES ? [] : [[id, own.flatMap((row) => entryOf(row) ?? [])] as const];
    }),
  );
}
