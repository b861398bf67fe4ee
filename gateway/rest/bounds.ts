import type { RestRoute } from './route-table';

/** Bounds of a number. */
export interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  /** Value of a missing argument. */
  readonly default?: number;
}

const PAGE: Bounds = { minimum: 1, maximum: 2 ** 31 - 1, default: 1 };

const PRICE_IMPACT: Bounds = { minimum: 0, maximum: 10_000 };

/** Bounds of numeric parameters by operation, for coercion and the OpenAPI document. */
export const BOUNDS: Partial<Record<RestRoute['operation'], Readonly<Record<string, Bounds>>>> = {
  'Query.actions': { page: PAGE, limit: { minimum: 1, maximum: 100, default: 20 } },
  'Query.wallet': { page: PAGE, limit: { minimum: 1, maximum: 500, default: 50 } },
  'Query.strategies': { page: PAGE, limit: { minimum: 1, maximum: 500, default: 100 } },
  'Query.strategyHistory': { page: PAGE, limit: { minimum: 1, maximum: 500, default: 50 } },
  'Query.swapQuote': { maxPriceImpactBps: PRICE_IMPACT },
};
