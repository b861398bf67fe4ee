import type { Address } from 'viem';
import { amountInOf, amountOutOf } from './constant-product';
import type { Pool } from './pool';
import { type PoolDepth, type V2State, v2Depth, v3Depth } from './pool-state';
import { type ConcentratedState, type Fill, type PriceLadder, priceLadder } from './price-ladder';
import type { StockedPool } from './spot-limit';

/** One pool in one direction, as it stood after a block. It can be asked without the chain. */
export interface LiveHop extends StockedPool, PriceLadder {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

/** What a pool holds of its tokens, in base units. */
export interface Stocks {
  readonly stock0: bigint;
  readonly stock1: bigint;
}

/** Both directions of a V2 pool; none when it is empty. */
export const constantProductHops = (pool: Pool, state: V2State): readonly LiveHop[] => {
  const { reserve0, reserve1 } = state;
  return directions(pool, { stock0: reserve0, stock1: reserve1 }, (tokenIn) => {
    const upwards = tokenIn === pool.token0;
    const reserves = upwards
      ? { reserveIn: reserve0, reserveOut: reserve1 }
      : { reserveIn: reserve1, reserveOut: reserve0 };
    const ladder = {
      sell: (amountIn: bigint) => exactly(amountOutOf(amountIn, [reserves])),
      buy: (amountOut: bigint) => exactly(amountInOf(amountOut, [reserves])),
    };
    return { ladder, depth: v2Depth(pool, state, tokenIn) };
  });
};

const exactly = (amount: bigint | undefined): Fill | undefined =>
  amount === undefined ? undefined : { amount, exact: true, passed: { ticks: 0, words: 0 } };

/** Both directions of a V3 pool; none when it has no liquidity at its price. */
export const concentratedHops = (pool: Pool, state: ConcentratedState, stocks: Stocks): readonly LiveHop[] =>
  directions(pool, stocks, (tokenIn) => ({
    ladder: priceLadder(state, tokenIn === pool.token0 ? 'token0' : 'token1'),
    depth: v3Depth(pool, state, tokenIn),
  }));

interface Trading {
  readonly ladder: PriceLadder;
  readonly depth: PoolDepth | undefined;
}

function directions(
  pool: Pool,
  { stock0, stock1 }: Stocks,
  trading: (tokenIn: Address) => Trading,
): readonly LiveHop[] {
  const sides = [
    { tokenIn: pool.token0, tokenOut: pool.token1, stockOut: stock1 },
    { tokenIn: pool.token1, tokenOut: pool.token0, stockOut: stock0 },
  ];
  return sides.flatMap((side) => {
    const { ladder, depth } = trading(side.tokenIn);
    return depth === undefined ? [] : [{ pool, ...side, depth, ...ladder }];
  });
}
