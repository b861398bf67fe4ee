import { z } from 'zod';
import type { Database } from '../persistence/database';
import { type ActionRow, parseActionRow } from './action-row';
import { ALL_KINDS, type HistoryFilter, type HistoryQuery, type HistorySlice, sliceStatement } from './wallet-history';

type Reader = Pick<Database, '$queryRaw'>;

/** A slice of a wallet's history. */
export interface History {
  /** Number of actions that match the filter. */
  readonly total: number;
  readonly rows: readonly ActionRow[];
}

/** Types that most wallets have of one status. Each kind that a statement merges takes time to plan, also when unused. */
const FEW_TYPES = 4;
const STATUSES = 5;
/** A page behind this many actions is read from the nearer end of its history. */
const DEEP_OFFSET = 1000;
/** Up to this many rows of each kind are read and sorted, instead of planning their merge. */
const SHORT_SLICE = 200n;

/** The same page of several wallets, in their order: one statement, except for many kinds and for the middle of a history. */
export async function readPages(
  database: Reader,
  query: HistoryQuery,
  { limit, offset }: { readonly limit: number; readonly offset: bigint },
): Promise<readonly History[]> {
  if (offset >= DEEP_OFFSET) {
    const histories = await readSlices(database, query, { limit, offset, fromEnd: true });
    if (histories.every(({ total }) => BigInt(total) <= 2n * offset)) return histories;
  }
  return readSlices(database, query, { limit, offset, fromEnd: false });
}

/** A slice of several wallets, in their order. */
export async function readSlices(
  database: Reader,
  query: HistoryQuery,
  slice: HistorySlice,
): Promise<readonly History[]> {
  for (let maxKinds = hasShortKinds(query.filter, slice) ? ALL_KINDS : expectedKinds(query.filter); ;) {
    const rows = z.array(sliceRow).parse(await database.$queryRaw(sliceStatement(query, slice, maxKinds)));
    const needed = Math.max(0, ...rows.map(({ kinds }) => kinds));
    if (needed <= maxKinds) return query.walletAddresses.map((_, index) => historyOf(rows, index + 1));
    maxKinds = needed;
  }
}

/**
 * True for slices of `INITIAL` near the start. Drafts double the kinds of this status, and to read each of them up to the end of the
 * slice takes less time than to plan their merge.
 */
const hasShortKinds = ({ status }: HistoryFilter, slice: HistorySlice): boolean =>
  status === 'INITIAL' && ('offset' in slice ? slice.offset : 0n) + BigInt(slice.limit) <= SHORT_SLICE;

/** Kinds of one type differ in their status, those of one type and status in being drafts. */
function expectedKinds({ type, status }: HistoryFilter): number {
  if ((type ?? undefined) === undefined) return status === 'INITIAL' ? 2 * FEW_TYPES : FEW_TYPES;
  return (status ?? undefined) === undefined ? STATUSES : 2;
}

const safeInteger = z.bigint().transform((value) => Number.parseInt(value.toString(), 10));
const sliceRow = z.looseObject({
  position: safeInteger,
  total: safeInteger,
  kinds: z.int(),
  id: z.string().nullable(),
});

function historyOf(rows: readonly z.infer<typeof sliceRow>[], position: number): History {
  const own = rows.filter((row) => row.position === position);
  return { total: own[0]?.total ?? 0, rows: own.filter(({ id }) => id !== null).map(parseActionRow) };
}
