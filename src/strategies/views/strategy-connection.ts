import { validationError } from '../../errors/validation';
import { slugOf } from '../catalog/merge-rows';
import type { Strategy } from '../strategy';
import { type ListStrategiesDeps, readySnapshot, viewOf } from './list-strategies';
import { selectStrategies, type StrategyFilter, type StrategySort } from './select-strategies';
import type { StrategyView } from './strategy-view';

/** The `first` strategies behind the cursor `after`. */
export interface StrategySliceRequest extends StrategyFilter {
  /** 1 to 100, default 20. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly sort?: StrategySort | null | undefined;
}

export interface StrategyConnectionView {
  readonly edges: readonly { readonly cursor: string; readonly node: StrategyView }[];
  readonly nodes: readonly StrategyView[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

const [DEFAULT_FIRST, MAX_FIRST] = [20, 100];
const MAX_CURSOR = 200;

/**
 * A slice of the strategies that meet the conditions. The order of the catalog is stable, so that slices have neither gaps nor
 * repetitions. The other orders change with the market data.
 *
 * @throws VALIDATION_ERROR; LENDING_SERVICE_UNAVAILABLE
 */
export async function connectStrategies(
  deps: ListStrategiesDeps,
  request: StrategySliceRequest,
): Promise<StrategyConnectionView> {
  const first = request.first ?? DEFAULT_FIRST;
  if (first < 1 || first > MAX_FIRST) {
    throw validationError([{ path: 'first', message: `must be between 1 and ${String(MAX_FIRST)}` }]);
  }
  const snapshot = await readySnapshot(deps);
  const selected = selectStrategies(deps, { filter: request, sort: request.sort ?? 'CATALOG' }, snapshot);
  const start = startOf(selected, request.after ?? undefined);
  const edges = selected.slice(start, start + first).map((strategy) => ({
    cursor: cursorOf(strategy),
    node: viewOf(deps, strategy, { snapshot, detail: 'FULL' }),
  }));
  const pageInfo = {
    hasNextPage: start + first < selected.length,
    hasPreviousPage: start > 0,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, nodes: edges.map(({ node }) => node), pageInfo, totalCount: selected.length };
}

const cursorOf = ({ row }: Strategy): string => Buffer.from(slugOf(row.id)).toString('base64url');

/** @throws VALIDATION_ERROR for a cursor whose strategy is not in the list */
function startOf(selected: readonly Strategy[], after: string | undefined): number {
  if (after === undefined) return 0;
  const position = after.length > MAX_CURSOR ? -1 : selected.findIndex((strategy) => cursorOf(strategy) === after);
  if (position >= 0) return position + 1;
  throw validationError([{ path: 'after', message: 'must be the cursor of a strategy in this list' }]);
}
