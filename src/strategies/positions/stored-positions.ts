import type { Strategy } from '../strategy';
import type { MarketDataView, StrategyView } from '../views/strategy-view';
import type { EarnPositionView } from './position-view';

/** A position without the strategy itself, which each process has. */
export interface PositionJson {
  readonly view: Omit<StrategyView, 'strategy' | 'marketData'> & Absent<'strategy' | 'marketData'>;
  readonly marketData: (Omit<MarketDataView, 'strategy'> & Absent<'strategy'>) | undefined;
  readonly spotPosition: EarnPositionView['spotPosition'];
}

/** Properties that are left out of the text. */
type Absent<Name extends string> = Readonly<Partial<Record<Name, undefined>>>;

export const toPositionJson = ({
  strategy: { marketData, ...view },
  spotPosition,
}: EarnPositionView): PositionJson => ({
  view: { ...view, strategy: undefined },
  marketData: marketData === undefined ? undefined : { ...marketData, strategy: undefined },
  spotPosition,
});

export interface RestoredPositions {
  readonly positions: readonly EarnPositionView[];
  /** Positions in strategies that this process does not know. */
  readonly unknown: readonly PositionJson[];
}

/** The positions with their strategies, which are found by their ids. */
export function restorePositions(strategies: readonly Strategy[], stored: readonly PositionJson[]): RestoredPositions {
  if (stored.length === 0) return { positions: [], unknown: [] };
  const byId = new Map(strategies.map((strategy) => [strategy.row.id, strategy]));
  const positions = stored.flatMap(({ view, marketData, spotPosition }): readonly EarnPositionView[] => {
    const strategy = byId.get(view.id);
    if (strategy === undefined) return [];
    const figures = marketData === undefined ? undefined : { ...marketData, strategy };
    return [{ strategy: { ...view, marketData: figures, strategy }, spotPosition }];
  });
  return { positions, unknown: stored.filter(({ view }) => !byId.has(view.id)) };
}
