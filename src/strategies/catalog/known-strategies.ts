import type { StrategyRow } from '../strategy-row';

/** The strategies that every deployment offers on the chains that it serves. Each network has a file in `rows/`. */
export const KNOWN_STRATEGIES: readonly StrategyRow[] = [];
