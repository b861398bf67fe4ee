import type { CustomerId } from '../auth/principal';
import { Prisma } from '../persistence/client/client';
import type { ActionStatus } from '../persistence/client/enums';
import type { ActionType } from '../transactions/action-plan';
import { ACTION_COLUMNS } from './action-row';

export const ACTION_SORT_FIELDS = ['createdAt', 'updatedAt', 'finishedAt'] as const;
export type ActionSortField = (typeof ACTION_SORT_FIELDS)[number];
export type SortOrder = 'asc' | 'desc';

/**
 * Selects and sorts the actions of a wallet. Default: all but drafts, newest first. Drafts are included with the status
 * `INITIAL` alone: a page that refreshes its quote makes one each time.
 */
export interface HistoryFilter {
  readonly status?: ActionStatus | null | undefined;
  readonly type?: ActionType | null | undefined;
  readonly sortBy?: ActionSortField | null | undefined;
  readonly sortOrder?: SortOrder | null | undefined;
}

/** Position of an action in a history: the value of its sort field, and its id. */
export interface HistoryPosition {
  /** Null in the sort by `finishedAt`, for an action that has not ended. */
  readonly at: Date | null;
  readonly id: string;
}

/** Any number of kinds: more than a wallet can have. */
export const ALL_KINDS = 10_000;

interface Page {
  readonly limit: number;
  readonly offset: bigint;
  /**
   * True to count the rows from the end of the history, which is nearer to an offset in its second half. A wallet whose offset
   * is in the first half then has no actions.
   */
  readonly fromEnd: boolean;
}

interface Continuation {
  readonly limit: number;
  readonly after: HistoryPosition | undefined;
}

/** Which actions are read: `limit` of them, from an offset or behind a position. */
export type HistorySlice = Page | Continuation;

export interface HistoryQuery {
  readonly customerId: CustomerId;
  readonly walletAddresses: readonly string[];
  readonly filter: HistoryFilter;
}

/**
 * A slice of the history of each wallet in one snapshot, with its `position` (from 1), the `total` of its actions and its
 * `kinds`. A kind is a status, a type and `isDraft`: an index has the actions of a kind in their order, and a filtered slice
 * merges the kinds that the wallet has. A wallet with more than `maxKinds`, or without actions in its slice, has one row
 * without an action. With `ALL_KINDS` each kind is read up to the end of the slice, and the rows are sorted.
 */
export function sliceStatement(query: HistoryQuery, slice: HistorySlice, maxKinds: number): Prisma.Sql {
  const { filter } = query;
  const parts = partsOf(filter, slice).map((part) => mergedKinds(filter, part, maxKinds));
  const isNear =
    'fromEnd' in slice && slice.fromEnd ? Prisma.sql`counted.total <= 2 * ${slice.offset}::bigint` : Prisma.sql`true`;
  return Prisma.sql`
    WITH counted AS MATERIALIZED (${countedWallets(query)})
    SELECT counted.position, counted.total, counted.kinds, page.*
      FROM counted
      LEFT JOIN LATERAL (
        SELECT ${ACTION_COLUMNS}
          FROM (SELECT listed.id FROM (${Prisma.join(parts, ' UNION ALL ')}) AS listed
                 WHERE counted.kinds <= ${maxKinds} AND ${isNear}
                 ORDER BY ${ordering(filter, 'listed.at')}, ${ordering(filter, 'listed.id')} LIMIT ${slice.limit}) AS listed
          JOIN "Action" AS action ON action.id = listed.id AND action."customerId" = counted."customerId"
      ) AS page ON true
     ORDER BY counted.position, ${ordering(filter, `page."${sortFieldOf(filter)}"`)}, ${ordering(filter, 'page.id')}`;
}

const sortFieldOf = ({ sortBy }: HistoryFilter): ActionSortField => sortBy ?? 'createdAt';

/** Ids start with the time and make the order of simultaneous actions stable. Unfinished actions come last. */
const ordering = ({ sortOrder }: HistoryFilter, column: string): Prisma.Sql =>
  Prisma.raw(`${column} ${sortOrder === 'asc' ? 'ASC' : 'DESC'} NULLS LAST`);

/** Counts are sums of the folded counters and of the changes that are not folded yet. */
function countedWallets({ customerId, walletAddresses, filter }: HistoryQuery): Prisma.Sql {
  const status = filter.status ?? undefined;
  const type = filter.type ?? undefined;
  const conditions = Prisma.sql`
    counter."customerId" = ${customerId}::uuid AND counter.wallet = wallet.address
    AND counter."isDraft" = ANY(${status === 'INITIAL' ? [false, true] : [false]})
    ${status === undefined ? Prisma.empty : Prisma.sql`AND counter.status = ${status}`}
    ${type === undefined ? Prisma.empty : Prisma.sql`AND counter.type = ${type}`}`;
  return Prisma.sql`
    SELECT wallet.position, wallet.address, ${customerId}::uuid AS "customerId", totals.*
      FROM unnest(${[...walletAddresses]}::text[]) WITH ORDINALITY AS wallet(address, position)
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(kind.total), 0)::bigint AS total, coalesce(sum(kind.finished), 0)::bigint AS finished,
              ${isFiltered(filter) ? Prisma.sql`count(*)::int` : Prisma.sql`1`} AS kinds, array_agg(kind.status) AS statuses, array_agg(kind.type) AS types,
              array_agg(kind."isDraft") AS drafts
         FROM (
           SELECT status, type, "isDraft", sum(count) AS total, sum(count) FILTER (WHERE "isFinished") AS finished
             FROM (SELECT status, type, "isDraft", "isFinished", count FROM "ActionCount" AS counter WHERE ${conditions}
                    UNION ALL
                   SELECT status, type, "isDraft", "isFinished", change FROM "ActionCountChange" AS counter
                    WHERE ${conditions}) AS counter
            GROUP BY status, type, "isDraft" HAVING sum(count) <> 0
         ) AS kind
     ) AS totals`;
}

/** A section of a history, and the rows of it that are read: SQL expressions, which may name columns of `counted`. */
interface Part {
  /** Condition on the row `party`. */
  readonly condition: Prisma.Sql;
  readonly isAscending: boolean;
  readonly limit: Prisma.Sql;
  readonly offset: Prisma.Sql;
}

/** The sections in the order in which they are read. */
function partsOf(filter: HistoryFilter, slice: HistorySlice): readonly Part[] {
  const isAscending = filter.sortOrder === 'asc';
  if ('after' in slice) {
    const range = { limit: Prisma.sql`${slice.limit}::bigint`, offset: Prisma.sql`0` };
    return sectionsBehind(filter, slice.after).map((condition) => ({ condition, isAscending, ...range }));
  }
  const { fromEnd } = slice;
  const sections = sectionsBehind(filter, undefined);
  const range = rangeOf(slice);
  const firstSize = fromEnd ? Prisma.sql`(counted.total - counted.finished)` : Prisma.sql`counted.finished`;
  return (fromEnd ? sections.toReversed() : sections).map((condition, index) => ({
    condition,
    isAscending: isAscending !== fromEnd,
    ...(index === 0 ? range : rangeBehind(range, firstSize)),
  }));
}

/**
 * Conditions of the sections of a history that are behind a position. In the sort by `finishedAt` the actions that have ended
 * are a section of their own: they come first in both directions, whereas an index has NULL at one of its ends. An action with the
 * status `INITIAL` has not ended, so that it needs no section of its own, which would take time to plan.
 */
function sectionsBehind(filter: HistoryFilter, position: HistoryPosition | undefined): readonly Prisma.Sql[] {
  const sortBy = sortFieldOf(filter);
  const isBehind = position === undefined ? Prisma.sql`true` : behind(filter, position);
  if (sortBy !== 'finishedAt') return [isBehind];
  if (position === undefined && filter.status === 'INITIAL') return [isBehind];
  if (position?.at === null) return [Prisma.sql`party."finishedAt" IS NULL AND ${isBehind}`];
  return [Prisma.sql`party."finishedAt" IS NOT NULL AND ${isBehind}`, Prisma.sql`party."finishedAt" IS NULL`];
}

function behind(filter: HistoryFilter, { at, id }: HistoryPosition): Prisma.Sql {
  const comparison = Prisma.raw(filter.sortOrder === 'asc' ? '>' : '<');
  if (at === null) return Prisma.sql`party."actionId" ${comparison} ${id}::uuid`;
  const column = Prisma.raw(`party."${sortFieldOf(filter)}"`);
  return Prisma.sql`(${column}, party."actionId") ${comparison} (${at}::timestamptz, ${id}::uuid)`;
}

type Range = Pick<Part, 'limit' | 'offset'>;

function rangeOf({ limit, offset, fromEnd }: Page): Range {
  if (!fromEnd) return { limit: Prisma.sql`${limit}::bigint`, offset: Prisma.sql`${offset}::bigint` };
  return {
    limit: Prisma.sql`greatest(least(counted.total - ${offset}::bigint, ${limit}::bigint), 0)`,
    offset: Prisma.sql`greatest(counted.total - ${offset}::bigint - ${limit}::bigint, 0)`,
  };
}

/** The rest of a range that starts before a section, behind `size` rows. */
const rangeBehind = ({ limit, offset }: Range, size: Prisma.Sql): Range => ({
  limit: Prisma.sql`greatest(least(${limit}, ${offset} + ${limit} - ${size}), 0)`,
  offset: Prisma.sql`greatest(${offset} - ${size}, 0)`,
});

/** The ids and sort values (`at`) of the rows of a part. A kind that the wallet lacks compares with NULL and reads nothing. */
function mergedKinds(
  filter: HistoryFilter,
  { condition, isAscending, limit, offset }: Part,
  maxKinds: number,
): Prisma.Sql {
  const sortColumn = Prisma.raw(`party."${sortFieldOf(filter)}"`);
  const order = Prisma.raw(isAscending ? 'at ASC, id ASC' : 'at DESC, id DESC');
  const ofKind = (kind: Prisma.Sql): Prisma.Sql => Prisma.sql`
    (SELECT party."actionId" AS id, ${sortColumn} AS at FROM "ActionParty" AS party
      WHERE party."customerId" = counted."customerId" AND party.wallet = counted.address AND ${kind} AND ${condition}
      ORDER BY ${order} LIMIT ${offset} + ${limit})`;
  const slice = Prisma.sql`ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
  if (isFiltered(filter) && maxKinds === ALL_KINDS) {
    const known = Prisma.sql`unnest(counted.statuses, counted.types, counted.drafts) AS known(status, type, "isDraft")`;
    return Prisma.sql`(SELECT kind.id, kind.at FROM ${known} CROSS JOIN LATERAL ${ofKind(IS_OF_KNOWN_KIND)} AS kind ${slice})`;
  }
  const kinds = isFiltered(filter)
    ? Array.from({ length: maxKinds }, (_, index) => isOfKind(index + 1))
    : [Prisma.sql`NOT party."isDraft"`];
  return Prisma.sql`(SELECT kind.id, kind.at FROM (${Prisma.join(kinds.map(ofKind), ' UNION ALL ')}) AS kind ${slice})`;
}

const IS_OF_KNOWN_KIND = Prisma.sql`
  party."isDraft" = known."isDraft" AND party.status = known.status AND party.type = known.type`;

/** An index of its own has the actions of all kinds but drafts. */
const isFiltered = ({ status, type }: HistoryFilter): boolean => (status ?? type ?? undefined) !== undefined;

function isOfKind(kind: number): Prisma.Sql {
  const number = Prisma.raw(String(kind));
  return Prisma.sql`party."isDraft" = counted.drafts[${number}] AND party.status = counted.statuses[${number}]
                    AND party.type = counted.types[${number}]`;
}
