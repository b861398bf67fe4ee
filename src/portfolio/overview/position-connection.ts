import { z } from 'zod';
import { validationError } from '../../errors/validation';
import { compareRanks, type PositionRank, rankOf } from './position-order';
import type { TokenPosition } from './wallet-tokens';

/** The `first` positions behind the cursor `after`. */
export interface PositionFilter {
  /** 1 to 500, default 50. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Positions after a cursor, as the specification of cursor connections names its fields. */
export interface PositionConnection {
  readonly edges: readonly { readonly cursor: string; readonly node: TokenPosition }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

const [DEFAULT_FIRST, MAX_FIRST] = [50, 500];

/**
 * A slice of sorted positions. A cursor is a place in the order, so that it stays valid when its position is gone; positions
 * whose value has changed meanwhile may be repeated or left out.
 *
 * @throws VALIDATION_ERROR when `first` is out of range or `after` is no cursor
 */
export function connectPositions(
  positions: readonly TokenPosition[],
  { first, after }: PositionFilter,
): PositionConnection {
  const size = first ?? DEFAULT_FIRST;
  if (size < 1 || size > MAX_FIRST) {
    throw validationError([{ path: 'first', message: `must be between 1 and ${String(MAX_FIRST)}` }]);
  }
  const place = placeOf(after);
  const behind = positions.filter((position) => place === undefined || compareRanks(rankOf(position), place) > 0);
  const edges = behind.slice(0, size).map((node) => ({ cursor: encodeCursor(rankOf(node)), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: behind.length > size,
      hasPreviousPage: place !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: positions.length,
  };
}

const MAX_CURSOR_LENGTH = 300;
const cursorSchema = z.tuple([
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,30})$/)
    .nullable(),
  z.int().min(0).max(3),
  z.string().max(120),
]);

/** base64url of the place in the order. */
const encodeCursor = ([value, kind, id]: PositionRank): string =>
  Buffer.from(JSON.stringify([value === null ? null : value.toString(), kind, id])).toString('base64url');

const placeOf = (after: PositionFilter['after']): PositionRank | undefined =>
  after === undefined || after === null ? undefined : decodeCursor(after);

function decodeCursor(cursor: string): PositionRank {
  const { data } = cursorSchema.safeParse(parsed(cursor));
  if (data === undefined) {
    const message = 'must be the cursor of an edge, or the endCursor of a page, of this field';
    throw validationError([{ path: 'after', message }]);
  }
  const [value, kind, id] = data;
  return [value === null ? null : BigInt(value), kind, id];
}

function parsed(cursor: string): unknown {
  if (cursor.length > MAX_CURSOR_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
