import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../../actions/pagination';
import { validationError } from '../../errors/validation';
import { slugOf } from '../catalog/merge-rows';
import type { Strategies } from '../catalog/strategies';
import type { MarketsSnapshot } from '../market/latest-markets';
import type { Strategy } from '../strategy';
import {
  selectStrategies,
  type SelectStrategiesDeps,
  type StrategyFilter,
  type StrategySort,
} from './select-strategies';
import { isReliable } from './market-figures';
import { type DetailLevel, strategyView, type StrategyView } from './strategy-view';

export interface ListStrategiesDeps extends SelectStrategiesDeps {
  readonly strategies: Strategies;
}

export interface StrategyListRequest extends StrategyFilter, PageRequest {
  readonly detail?: DetailLevel | null | undefined;
  readonly sort?: StrategySort | null | undefined;
}

const LIMITS = { defaultLimit: 100, maximum: 500 };

/**
 * A page of the strategies that meet the conditions.
 *
 * @throws VALIDATION_ERROR; LENDING_SERVICE_UNAVAILABLE
 */
export async function listStrategies(
  deps: ListStrategiesDeps,
  request: StrategyListRequest,
): Promise<{ readonly data: StrategyView[]; readonly pagination: Pagination }> {
  const bounds = pageBounds(request, LIMITS);
  const snapshot = await readySnapshot(deps);
  const selected = selectStrategies(deps, { filter: request, sort: request.sort ?? 'CATALOG' }, snapshot);
  const start = (bounds.page - 1) * bounds.limit;
  const page = selected.slice(start, start + bounds.limit);
  const shown = { snapshot, detail: request.detail ?? 'BASIC' };
  const data = page.map((strategy) => viewOf(deps, strategy, shown));
  return { data, pagination: paginationOf(bounds, selected.length) };
}

/**
 * A strategy by its id, slug or alias, with everything.
 *
 * @throws STRATEGY_NOT_FOUND; LENDING_SERVICE_UNAVAILABLE
 */
export async function findStrategy(deps: ListStrategiesDeps, name: string): Promise<StrategyView> {
  const snapshot = await readySnapshot(deps);
  const strategy = deps.strategies.get(name);
  return viewOf(deps, strategy, { snapshot, detail: 'FULL' });
}

/**
 * The strategies of an asset with the highest yields after fees, of those that accept deposits and have reliable figures.
 *
 * @throws VALIDATION_ERROR without an asset; as `selectStrategies`
 */
export async function bestStrategies(
  deps: ListStrategiesDeps,
  { first, ...filter }: StrategyFilter & { readonly asset: string; readonly first: number },
): Promise<StrategyView[]> {
  if (filter.asset.trim() === '') throw validationError([{ path: 'asset', message: 'is required' }]);
  const snapshot = await readySnapshot(deps);
  const selected = selectStrategies(deps, { filter, sort: 'NET_APY' }, snapshot);
  const open = selected.filter(isOffered(snapshot, new Date())).slice(0, first);
  return open.map((strategy) => viewOf(deps, strategy, { snapshot, detail: 'FULL' }));
}

const isOffered =
  ({ byStrategy }: MarketsSnapshot, now: Date) =>
  ({ row }: Strategy): boolean => {
    const market = byStrategy.get(slugOf(row.id));
    return !row.paused && market?.observation.acceptsDeposits === true && isReliable(market, now);
  };

/** The latest market data. Right after the start it waits for the chains. */
export async function readySnapshot({
  strategies,
  markets,
}: Pick<ListStrategiesDeps, 'strategies' | 'markets'>): Promise<MarketsSnapshot> {
  await strategies.ready();
  return markets.read();
}

/** A strategy with the market data of a snapshot. */
export function viewOf(
  { fees }: Pick<ListStrategiesDeps, 'fees'>,
  strategy: Strategy,
  { snapshot, detail }: { readonly snapshot: MarketsSnapshot; readonly detail: DetailLevel },
): StrategyView {
  const market = snapshot.byStrategy.get(slugOf(strategy.row.id));
  return strategyView(strategy, { market, fees: fees.of(strategy), detail, now: new Date() });
}
