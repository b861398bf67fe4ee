import type { Address } from 'viem';
import { amountInFor, amountOutFor } from './constant-product';
import type { Pool } from './pool';
import { type PoolDepth, type V2State, type V3State, v2Depth, v3Depth } from './pool-state';
import { type ConcentratedState, type HopQuote, type HopQuoter, concentratedQuoter } from './concentrated-swap';
import type { HopLiquidity } from './liquidity-limits';

/** One pool in one direction at its current price, as of one block. */
export interface SpotHop extends HopLiquidity {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Balance of the input token in base units. In V2 the reserve, as is `balanceOut`. */
  readonly balanceIn: bigint;
}

/** One pool in one direction, as of one block. Quotes swaps in memory. */
export interface HopState extends SpotHop, HopQuoter {}

/** Token balances of a pool, in base units. */
export interface PoolBalances {
  readonly balance0: bigint;
  readonly balance1: bigint;
}

/** Both directions of a V2 pool; empty when it has no reserves. */
export const constantProductHops = (pool: Pool, state: V2State): readonly HopState[] => {
  const { reserve0, reserve1 } = state;
  return directions(pool, { balance0: reserve0, balance1: reserve1 }, (tokenIn) => {
    const isToken0In = tokenIn === pool.token0;
    const reserves = isToken0In
      ? { reserveIn: reserve0, reserveOut: reserve1 }
      : { reserveIn: reserve1, reserveOut: reserve0 };
    const quoter = {
      quoteExactIn: (amountIn: bigint) => exactQuote(amountOutFor(amountIn, [reserves])),
      quoteExactOut: (amountOut: bigint) => exactQuote(amountInFor(amountOut, [reserves])),
    };
    return { quoter, depth: v2Depth(pool, state, tokenIn) };
  });
};

const exactQuote = (amount: bigint | undefined): HopQuote | undefined =>
  amount === undefined ? undefined : { amount, exact: true, crossings: { ticks: 0, words: 0 } };

/** Both directions of a V3 pool; empty when it has no liquidity at its current price. */
export const concentratedHops = (pool: Pool, state: ConcentratedState, balances: PoolBalances): readonly HopState[] =>
  directions(pool, balances, (tokenIn) => ({
    quoter: concentratedQuoter(state, tokenIn === pool.token0 ? 'token0' : 'token1'),
    depth: v3Depth(pool, state, tokenIn),
  }));

/** Both directions of a V3 pool, without its ticks; empty when it has no liquidity at its current price. */
export const concentratedSpotHops = (pool: Pool, state: V3State, balances: PoolBalances): readonly SpotHop[] =>
  directions(pool, balances, (tokenIn) => ({ quoter: {}, depth: v3Depth(pool, state, tokenIn) }));

interface DirectionState<Quoter> {
  readonly quoter: Quoter;
  readonly depth: PoolDepth | undefined;
}

function directions<Quoter>(
  pool: Pool,
  { balance0, balance1 }: PoolBalances,
  stateOf: (tokenIn: Address) => DirectionState<Quoter>,
): readonly (SpotHop & Quoter)[] {
  const sides = [
    { tokenIn: pool.token0, tokenOut: pool.token1, balanceIn: balance0, balanceOut: balance1 },
    { tokenIn: pool.token1, tokenOut: pool.token0, balanceIn: balance1, balanceOut: balance0 },
  ];
  return sides.flatMap((side) => {
    const { quoter, depth } = stateOf(side.tokenIn);
    return depth === undefined ? [] : [{ pool, ...side, depth, ...quoter }];
  });
}
