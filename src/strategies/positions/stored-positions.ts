import type { Strategy } from '../strategy';
import type { MarketDataView, StrategyView } from '../views/strategy-view';
import type { EarnPositionView } from './position-view';

/** A position without the strategy itself and its metadata, which each process has. */
export interface PositionJson {
  readonly view: Omit<StrategyView, FromProcess | 'marketData'> & Absent<FromProcess | 'marketData'>;
  readonly marketData: (Omit<MarketDataView, 'strategy' | 'detail'> & Absent<'strategy' | 'detail'>) | undefined;
  readonly spotPosition: EarnPositionView['spotPosition'];
}

type FromProcess = 'strategy' | 'metadata';

/** Properties that are left out of the text. */
type Absent<Name extends string> = Readonly<Partial<Record<Name, undefined>>>;

export const toPositionJson = ({
  strategy: { marketData, ...view },
  spotPosition,
}: EarnPositionView): PositionJson => ({
  view: { ...view, strategy: undefined, metadata: undefined },
  marketData: marketData === undefined ? undefined : { ...marketData, strategy: undefined, detail: undefined },
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
    const { metadata } = strategy.row;
    const figures = marketData === undefined ? undefined : { ...marketData, strategy, detail: 'FULL' as const };
    return [{ strategy: { ...view, metadata, marketData: figures, strategy }, spotPosition }];
  });
  return { positions, unknown: stored.filter(({ view }) => !byId.has(view.id)) };
}
