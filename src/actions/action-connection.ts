import { validationError } from '../errors/validation';
import { decodeActionCursor, encodeActionCursor } from './action-cursor';
import { type ActionView, actionView } from './action-view';
import type { ActionDeps } from './list-actions';
import { type History, readSlices } from './read-history';
import type { HistoryFilter, HistoryPosition, HistoryQuery } from './wallet-history';

/** The `first` actions of a history behind the cursor `after`. */
export interface ConnectionFilter extends HistoryFilter {
  /** 1 to 100, default 20. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

export interface ActionEdge {
  readonly cursor: string;
  readonly node: ActionView;
}

/** A slice of a history, as the specification of cursor connections names its fields. */
export interface ActionConnection {
  readonly edges: readonly ActionEdge[];
  readonly nodes: readonly ActionView[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  /** Number of actions that match the filter, in all slices. */
  readonly totalCount: number;
}

const [DEFAULT_FIRST, MAX_FIRST] = [20, 100];

/**
 * The same slice of the histories of several wallets, in their order. Reads as much at any depth. Actions that are added
 * before the cursor shift nothing.
 *
 * @throws VALIDATION_ERROR when `first` is out of range or `after` is no cursor of this sort
 */
export async function connectActionsOfWallets(
  { database, chains }: ActionDeps,
  query: HistoryQuery & { readonly filter: ConnectionFilter },
): Promise<readonly ActionConnection[]> {
  const { filter } = query;
  const first = filter.first ?? DEFAULT_FIRST;
  if (first < 1 || first > MAX_FIRST) {
    throw validationError([{ path: 'first', message: `must be between 1 and ${String(MAX_FIRST)}` }]);
  }
  const after = positionOf(filter);
  // One more action shows whether there is a next slice.
  const histories = await readSlices(database, query, { limit: first + 1, after });
  const sortBy = filter.sortBy ?? 'createdAt';
  const edgesOf = ({ rows }: History): readonly ActionEdge[] =>
    rows.slice(0, first).map((row) => ({ cursor: encodeActionCursor(row, sortBy), node: actionView(chains, row) }));
  return histories.map((history) => {
    const edges = edgesOf(history);
    const pageInfo = {
      hasNextPage: history.rows.length > first,
      hasPreviousPage: after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    };
    return { edges, nodes: edges.map(({ node }) => node), pageInfo, totalCount: history.total };
  });
}

function positionOf({ after, sortBy }: ConnectionFilter): HistoryPosition | undefined {
  const cursor = after ?? undefined;
  return cursor === undefined ? undefined : decodeActionCursor(cursor, sortBy ?? 'createdAt');
}
