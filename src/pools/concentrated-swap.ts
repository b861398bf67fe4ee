import { divideUp } from '../money/divide-up';
import {
  amount0Down,
  amount0Up,
  amount1Down,
  amount1Up,
  priceAfter0In,
  priceAfter0Out,
  priceAfter1In,
  priceAfter1Out,
} from './swap-step';
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from './tick-math';
import { type StepTarget, stepTargetsAbove, stepTargetsBelow, type TickWindow } from './tick-window';

/** The computed amount on the other side of a swap through one pool. */
export interface HopQuote {
  /** Base units. */
  readonly amount: bigint;
  /** False when the swap leaves the loaded tick range: then `amount` is an optimistic estimate. */
  readonly exact: boolean;
  readonly crossings: TickCrossings;
}

/** Ticks that a swap crosses. Each costs gas. */
export interface TickCrossings {
  /** Initialized ticks. */
  readonly ticks: number;
  /** Words of the tick bitmap beyond the first. */
  readonly words: number;
}

/** Quotes swaps through one pool in one direction. `undefined` when the pool cannot fill the whole amount. */
export interface HopQuoter {
  /** Output for an exact input. */
  quoteExactIn(amountIn: bigint): HopQuote | undefined;
  /** Input required for an exact output. */
  quoteExactOut(amountOut: bigint): HopQuote | undefined;
}

/** State of a V3 pool. */
export interface ConcentratedState {
  /** Square root of the price of token 0 in token 1 (base units), times 2^96. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly tickSpacing: number;
  /** Liquidity at the current price. */
  readonly liquidity: bigint;
  /** Millionths of the input. */
  readonly fee: bigint;
  readonly window: TickWindow;
}

const MILLION = 1_000_000n;
const Q192 = 192n;

/** Cumulative amounts, price and liquidity of a swap that has reached a step target. */
interface SwapState {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly crossings: TickCrossings;
  readonly price: bigint;
  readonly liquidity: bigint;
}

/** Formulas of one swap direction. */
interface Direction {
  readonly targets: (state: ConcentratedState) => Generator<StepTarget>;
  /** The price at which pools stop every swap. */
  readonly limit: bigint;
  readonly isBeyond: (price: bigint, limit: bigint) => boolean;
  /** Input between two prices, without the fee. */
  readonly inputBetween: (from: bigint, to: bigint, liquidity: bigint) => bigint;
  readonly outputBetween: (from: bigint, to: bigint, liquidity: bigint) => bigint;
  readonly priceAfterIn: (state: SwapState, amountIn: bigint) => bigint;
  readonly priceAfterOut: (state: SwapState, amountOut: bigint) => bigint;
  /** Conversion at one price without slippage: the output is rounded up, the input down. */
  readonly outputAtPrice: (amountIn: bigint, price: bigint) => bigint;
  readonly inputAtPrice: (amountOut: bigint, price: bigint) => bigint;
}

const falling: Direction = {
  targets: ({ window, ...position }) => stepTargetsBelow(window, position),
  limit: MIN_SQRT_PRICE + 1n,
  isBeyond: (price, limit) => price < limit,
  inputBetween: (high, low, liquidity) => amount0Up({ low, high, liquidity }),
  outputBetween: (high, low, liquidity) => amount1Down({ low, high, liquidity }),
  priceAfterIn: priceAfter0In,
  priceAfterOut: priceAfter1Out,
  outputAtPrice: (amountIn, price) => ((amountIn * price * price) >> Q192) + 1n,
  inputAtPrice: (amountOut, price) => (amountOut << Q192) / (price * price),
};

const rising: Direction = {
  targets: ({ window, ...position }) => stepTargetsAbove(window, position),
  limit: MAX_SQRT_PRICE - 1n,
  isBeyond: (price, limit) => price > limit,
  inputBetween: (low, high, liquidity) => amount1Up({ low, high, liquidity }),
  outputBetween: (low, high, liquidity) => amount0Down({ low, high, liquidity }),
  priceAfterIn: priceAfter1In,
  priceAfterOut: priceAfter0Out,
  outputAtPrice: (amountIn, price) => (amountIn << Q192) / (price * price) + 1n,
  inputAtPrice: (amountOut, price) => (amountOut * price * price) >> Q192,
};

/**
 * Quotes swaps through a V3 pool, equal to the pool's own results. The state at each step target is computed once and
 * kept: a later quote needs only one step.
 */
export function concentratedQuoter(pool: ConcentratedState, tokenIn: 'token0' | 'token1'): HopQuoter {
  const direction = tokenIn === 'token0' ? falling : rising;
  const findState = createStateFinder(pool, direction);
  const { fee } = pool;
  const kept = MILLION - fee;
  return {
    quoteExactIn(amountIn) {
      const { state, next } = findState(({ amountIn: reached }) => reached >= amountIn);
      if (next !== undefined) {
        if (next.amountIn === amountIn) return { amount: next.amountOut, exact: true, crossings: next.crossings };
        const after = direction.priceAfterIn(state, ((amountIn - state.amountIn) * kept) / MILLION);
        const amount = state.amountOut + direction.outputBetween(state.price, after, state.liquidity);
        return { amount, exact: true, crossings: state.crossings };
      }
      if (state.price === direction.limit) return undefined;
      const rest = direction.outputAtPrice(divideUp((amountIn - state.amountIn) * kept, MILLION), state.price);
      return { amount: state.amountOut + rest, exact: false, crossings: state.crossings };
    },
    quoteExactOut(amountOut) {
      const { state, next } = findState(({ amountOut: reached }) => reached >= amountOut);
      if (next !== undefined) {
        if (next.amountOut === amountOut) return { amount: next.amountIn, exact: true, crossings: next.crossings };
        const after = direction.priceAfterOut(state, amountOut - state.amountOut);
        const taken = direction.inputBetween(state.price, after, state.liquidity);
        return {
          amount: state.amountIn + taken + divideUp(taken * fee, kept),
          exact: true,
          crossings: state.crossings,
        };
      }
      if (state.price === direction.limit) return undefined;
      const rest = direction.inputAtPrice(amountOut - state.amountOut, state.price);
      return { amount: state.amountIn + rest, exact: false, crossings: state.crossings };
    },
  };
}

/** The last state that is not enough, and the first that is; no `next` when the loaded range is not enough. */
type FindState = (isEnough: (state: SwapState) => boolean) => {
  readonly state: SwapState;
  readonly next: SwapState | undefined;
};

function createStateFinder(pool: ConcentratedState, direction: Direction): FindState {
  const { sqrtPriceX96: price, liquidity } = pool;
  const states: [SwapState, ...SwapState[]] = [
    { amountIn: 0n, amountOut: 0n, crossings: { ticks: 0, words: 0 }, price, liquidity },
  ];
  const targets = direction.targets(pool);
  const advance = (from: SwapState): SwapState | undefined => {
    if (from.price === direction.limit) return undefined;
    const target = targets.next();
    if (target.done === true) return undefined;
    const state = nextState(from, target.value, { direction, fee: pool.fee });
    states.push(state);
    return state;
  };
  return (isEnough) => {
    let state = states[0];
    for (let index = 1; ; index += 1) {
      const next = states[index] ?? advance(state);
      if (next === undefined || isEnough(next)) return { state, next };
      state = next;
    }
  };
}

function nextState(
  from: SwapState,
  { price, liquidityChange }: StepTarget,
  { direction, fee }: { readonly direction: Direction; readonly fee: bigint },
): SwapState {
  const target = direction.isBeyond(price, direction.limit) ? direction.limit : price;
  const taken = direction.inputBetween(from.price, target, from.liquidity);
  const { ticks, words } = from.crossings;
  return {
    amountIn: from.amountIn + taken + divideUp(taken * fee, MILLION - fee),
    amountOut: from.amountOut + direction.outputBetween(from.price, target, from.liquidity),
    crossings: liquidityChange === undefined ? { ticks, words: words + 1 } : { ticks: ticks + 1, words },
    price: target,
    liquidity: from.liquidity + (liquidityChange ?? 0n),
  };
}
