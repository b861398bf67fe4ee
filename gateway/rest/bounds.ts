import type { RestRoute } from './route-table';

/** The least and the most that a number may be. */
export interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  /** What stands for it when it is not given. */
  readonly default?: number;
}

const PAGE: Bounds = { minimum: 1, maximum: 2 ** 31 - 1, default: 1 };

/** Bounds of numeric arguments by operation: checked by coercion, shown in the OpenAPI document. */
export const BOUNDS: Partial<Record<RestRoute['operation'], Readonly<Record<string, Bounds>>>> = {
  'Query.actions': { page: PAGE, limit: { minimum: 1, maximum: 100, default: 20 } },
};
