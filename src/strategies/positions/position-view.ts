import type { Yields } from '../views/market-figures';
import type { StrategyView } from '../views/strategy-view';
import type { RealizedYields } from './position-yields';
import type { PositionReading } from './read-positions';
import type { SpotPosition } from './spot-position';

/** A position with its strategy and its yields. */
export interface PositionView {
  readonly reading: PositionReading;
  readonly strategy: StrategyView;
  readonly spotPosition: SpotPosition & Yields & RealizedYields & { readonly apy: number | undefined };
}

/** A position in the overview of a wallet. */
export type EarnPositionView = Omit<PositionView, 'reading'>;
