import type { LiveHop } from '../../../pools/live-hop';
import type { Pool } from '../../../pools/pool';
import type { Passed } from '../../../pools/price-ladder';
import { holdsEnough, spotLimit } from '../../../pools/spot-limit';

/** Pools that a way of a trade passes, in order. */
export type Route = readonly [LiveHop, ...LiveHop[]];

/** The side of a trade whose amount is given. */
export type Side = 'in' | 'out';

/** An amount that goes through a route. Base units. */
export interface Exchange {
  readonly route: Route;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** In all pools together. */
  readonly passed: Passed;
  /** Pools of which too little is known: with them it comes to no more than this, perhaps to less. */
  readonly vague: readonly Pool[];
}

/** Through a route, exactly `amount` on the given side; `undefined` when a pool cannot fill it whole. */
export function exchange(route: Route, side: Side, amount: bigint): Exchange | undefined {
  const vague: Pool[] = [];
  let [other, ticks, words] = [amount, 0, 0];
  for (const hop of side === 'in' ? route : route.toReversed()) {
    // What came to nothing on the way buys nothing.
    if (other === 0n) break;
    const fill = side === 'in' ? hop.sell(other) : hop.buy(other);
    if (fill === undefined) return undefined;
    if (!fill.exact) vague.push(hop.pool);
    other = fill.amount;
    ticks += fill.passed.ticks;
    words += fill.passed.words;
  }
  const [amountIn, amountOut] = side === 'in' ? [amount, other] : [other, amount];
  return { route, amountIn, amountOut, passed: { ticks, words }, vague };
}

/** How much can be asked of a route on the given side: beyond it a trade loses most of its value, or cannot be filled. */
export function fits(route: Route, side: Side): (amount: bigint) => boolean {
  if (side === 'out') return (amount) => holdsEnough(route, amount);
  const limit = spotLimit(route);
  return (amount) => amount <= limit;
}
