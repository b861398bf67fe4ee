import type { HopState } from '../../../pools/hop-state';
import type { Pool } from '../../../pools/pool';
import type { TickCrossings } from '../../../pools/concentrated-swap';
import { canPayOut, maxAmountInAtSpot } from '../../../pools/liquidity-limits';

/** The pools of a split, in order. */
export type PoolRoute = readonly [HopState, ...HopState[]];

/** The side of a trade with the exact amount. */
export type Side = 'in' | 'out';

/** Amounts of a trade through a route, in base units. */
export interface RouteQuote {
  readonly route: PoolRoute;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Ticks crossed in all pools together. */
  readonly crossings: TickCrossings;
  /** Pools whose loaded tick range is too narrow: the computed amount is then an optimistic estimate. */
  readonly unresolved: readonly Pool[];
}

/** Quotes an exact `amount` on the given side through a route; `undefined` when a pool cannot fill it. */
export function quoteRoute(route: PoolRoute, side: Side, amount: bigint): RouteQuote | undefined {
  const unresolved: Pool[] = [];
  let [other, ticks, words] = [amount, 0, 0];
  for (const hop of side === 'in' ? route : route.toReversed()) {
    // An intermediate amount of zero buys nothing.
    if (other === 0n) break;
    const quote = side === 'in' ? hop.quoteExactIn(other) : hop.quoteExactOut(other);
    if (quote === undefined) return undefined;
    if (!quote.exact) unresolved.push(hop.pool);
    other = quote.amount;
    ticks += quote.crossings.ticks;
    words += quote.crossings.words;
  }
  const [amountIn, amountOut] = side === 'in' ? [amount, other] : [other, amount];
  return { route, amountIn, amountOut, crossings: { ticks, words }, unresolved };
}

/** Returns a check that an amount is within the liquidity of a route. Larger trades lose most of their value or cannot be filled. */
export function liquidityCheck(route: PoolRoute, side: Side): (amount: bigint) => boolean {
  if (side === 'out') return (amount) => canPayOut(route, amount);
  const limit = maxAmountInAtSpot(route);
  return (amount) => amount <= limit;
}
