import type { Findings, Moved } from './check-figures';
import type { SwapCase } from './swap-cases';
import type { ShownQuote } from './wire-schemas';

/** An executed swap, with what is wrong with its figures. */
export interface ProvedSwap extends Findings, Moved {
  readonly proved: SwapCase;
  /**
   * - `within the bound`: the amount of the case.
   * - `maximum`: the maximum that the service names for an amount above the bound.
   * - `without bound`: the amount of the case, above the bound.
   * - `capacity`: the maximum that the service names for an amount that the pools cannot fill.
   */
  readonly kind: 'within the bound' | 'maximum' | 'without bound' | 'capacity';
  readonly quote: ShownQuote;
  readonly actionId: string;
}
