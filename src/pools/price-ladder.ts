import {
  amount0Down,
  amount0Up,
  amount1Down,
  amount1Up,
  dividedUp,
  priceAfter0In,
  priceAfter0Out,
  priceAfter1In,
  priceAfter1Out,
} from './swap-step';
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from './tick-math';
import { type Stop, stopsAbove, stopsBelow, type TickWindow } from './tick-window';

/** What the other side of a swap comes to. */
export interface Fill {
  /** Base units. */
  readonly amount: bigint;
  /** False when the swap leaves what is known of the pool: then `amount` is better than what it will come to. */
  readonly exact: boolean;
  readonly passed: Passed;
}

/** What a swap passes on its way. Each costs gas. */
export interface Passed {
  /** Initialized ticks. */
  readonly ticks: number;
  /** Words of the bitmap of ticks, beyond the first. */
  readonly words: number;
}

/** A concentrated pool in one direction. `undefined` when it cannot fill the amount whole. */
export interface PriceLadder {
  /** What comes out for an exact amount in. */
  sell(amountIn: bigint): Fill | undefined;
  /** What has to go in for an exact amount out. */
  buy(amountOut: bigint): Fill | undefined;
}

/** A concentrated pool as it stands. */
export interface ConcentratedState {
  /** Square root of the price of token 0 in token 1 (base units), times 2^96. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly tickSpacing: number;
  /** Liquidity at the current price. */
  readonly liquidity: bigint;
  /** Millionths of the amount that goes in. */
  readonly fee: bigint;
  readonly window: TickWindow;
}

const MILLION = 1_000_000n;
const Q192 = 192n;

/** Where a swap stands before its next stop, and what that stop takes. */
interface Rung {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly passed: Passed;
  readonly price: bigint;
  readonly liquidity: bigint;
}

/** What differs between the directions; amounts are of the range between two prices. */
interface Direction {
  readonly stops: (state: ConcentratedState) => Generator<Stop>;
  /** The price at which pools stop at the latest. */
  readonly limit: bigint;
  readonly isBeyond: (price: bigint, limit: bigint) => boolean;
  readonly takes: (from: bigint, to: bigint, liquidity: bigint) => bigint;
  readonly gives: (from: bigint, to: bigint, liquidity: bigint) => bigint;
  readonly priceAfterIn: (rung: Rung, amountIn: bigint) => bigint;
  readonly priceAfterOut: (rung: Rung, amountOut: bigint) => bigint;
  /** What an amount is worth in the other token at a price, rounded up or down. */
  readonly worthOut: (amountIn: bigint, price: bigint) => bigint;
  readonly worthIn: (amountOut: bigint, price: bigint) => bigint;
}

const falling: Direction = {
  stops: ({ window, ...position }) => stopsBelow(window, position),
  limit: MIN_SQRT_PRICE + 1n,
  isBeyond: (price, limit) => price < limit,
  takes: (high, low, liquidity) => amount0Up({ low, high, liquidity }),
  gives: (high, low, liquidity) => amount1Down({ low, high, liquidity }),
  priceAfterIn: priceAfter0In,
  priceAfterOut: priceAfter1Out,
  worthOut: (amountIn, price) => ((amountIn * price * price) >> Q192) + 1n,
  worthIn: (amountOut, price) => (amountOut << Q192) / (price * price),
};

const rising: Direction = {
  stops: ({ window, ...position }) => stopsAbove(window, position),
  limit: MAX_SQRT_PRICE - 1n,
  isBeyond: (price, limit) => price > limit,
  takes: (low, high, liquidity) => amount1Up({ low, high, liquidity }),
  gives: (low, high, liquidity) => amount0Down({ low, high, liquidity }),
  priceAfterIn: priceAfter1In,
  priceAfterOut: priceAfter0Out,
  worthOut: (amountIn, price) => (amountIn << Q192) / (price * price) + 1n,
  worthIn: (amountOut, price) => (amountOut * price * price) >> Q192,
};

/**
 * Swaps through a concentrated pool, to the wei what the pool computes. Every stop on the way is computed once, when the
 * first swap gets there; after that a swap costs one step.
 */
export function priceLadder(state: ConcentratedState, sells: 'token0' | 'token1'): PriceLadder {
  const direction = sells === 'token0' ? falling : rising;
  const climb = climber(state, direction);
  const { fee } = state;
  const kept = MILLION - fee;
  return {
    sell(amountIn) {
      const { rung, next } = climb(({ amountIn: reached }) => reached >= amountIn);
      if (next !== undefined) {
        if (next.amountIn === amountIn) return { amount: next.amountOut, exact: true, passed: next.passed };
        const after = direction.priceAfterIn(rung, ((amountIn - rung.amountIn) * kept) / MILLION);
        const amount = rung.amountOut + direction.gives(rung.price, after, rung.liquidity);
        return { amount, exact: true, passed: rung.passed };
      }
      if (rung.price === direction.limit) return undefined;
      const rest = direction.worthOut(dividedUp((amountIn - rung.amountIn) * kept, MILLION), rung.price);
      return { amount: rung.amountOut + rest, exact: false, passed: rung.passed };
    },
    buy(amountOut) {
      const { rung, next } = climb(({ amountOut: reached }) => reached >= amountOut);
      if (next !== undefined) {
        if (next.amountOut === amountOut) return { amount: next.amountIn, exact: true, passed: next.passed };
        const after = direction.priceAfterOut(rung, amountOut - rung.amountOut);
        const taken = direction.takes(rung.price, after, rung.liquidity);
        return { amount: rung.amountIn + taken + dividedUp(taken * fee, kept), exact: true, passed: rung.passed };
      }
      if (rung.price === direction.limit) return undefined;
      const rest = direction.worthIn(amountOut - rung.amountOut, rung.price);
      return { amount: rung.amountIn + rest, exact: false, passed: rung.passed };
    },
  };
}

/** The last rung before one that is enough, and that one; no `next` when the known part of the pool is not enough. */
type Climb = (isEnough: (rung: Rung) => boolean) => { readonly rung: Rung; readonly next: Rung | undefined };

function climber(state: ConcentratedState, direction: Direction): Climb {
  const { sqrtPriceX96: price, liquidity } = state;
  const rungs: [Rung, ...Rung[]] = [{ amountIn: 0n, amountOut: 0n, passed: { ticks: 0, words: 0 }, price, liquidity }];
  const stops = direction.stops(state);
  const further = (from: Rung): Rung | undefined => {
    if (from.price === direction.limit) return undefined;
    const stop = stops.next();
    if (stop.done === true) return undefined;
    const rung = rungAt(from, stop.value, { direction, fee: state.fee });
    rungs.push(rung);
    return rung;
  };
  return (isEnough) => {
    let rung = rungs[0];
    for (let index = 1; ; index += 1) {
      const next = rungs[index] ?? further(rung);
      if (next === undefined || isEnough(next)) return { rung, next };
      rung = next;
    }
  };
}

function rungAt(
  from: Rung,
  { price, liquidityChange }: Stop,
  { direction, fee }: { readonly direction: Direction; readonly fee: bigint },
): Rung {
  const target = direction.isBeyond(price, direction.limit) ? direction.limit : price;
  const taken = direction.takes(from.price, target, from.liquidity);
  const { ticks, words } = from.passed;
  return {
    amountIn: from.amountIn + taken + dividedUp(taken * fee, MILLION - fee),
    amountOut: from.amountOut + direction.gives(from.price, target, from.liquidity),
    passed: liquidityChange === undefined ? { ticks, words: words + 1 } : { ticks: ticks + 1, words },
    price: target,
    liquidity: from.liquidity + (liquidityChange ?? 0n),
  };
}
