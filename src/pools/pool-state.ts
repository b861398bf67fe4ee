import { type Address, parseAbi } from 'viem';
import { contractRead } from '../rpc/contract-read';
import { type Pool, V2_FEE } from './pool';

/** Reserves of a V2 pool, in base units. */
export interface V2State {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface V3State {
  /** Square root of the price of token 0 in token 1 (base units), times 2^96. */
  readonly sqrtPriceX96: bigint;
  /** Liquidity at the current price. */
  readonly liquidity: bigint;
}

/**
 * Reserves of the constant-product pool that trades like this pool around its current price, in base units times 2^96.
 * For V2 the real reserves; for V3 the virtual reserves, valid within the current tick range.
 */
export interface PoolDepth {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** Millionths of the input. */
  readonly fee: bigint;
}

const Q96 = 96n;

const v2Pool = parseAbi(['function getReserves() view returns (uint112 reserve0, uint112 reserve1)']);
// Forks of Uniswap append other fields to slot0: only the first two are read.
const v3Pool = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick)',
  'function liquidity() view returns (uint128)',
]);

export const reservesRead = ({ address }: Pool) => contractRead({ address, abi: v2Pool, functionName: 'getReserves' });
export const slot0Read = ({ address }: Pool) => contractRead({ address, abi: v3Pool, functionName: 'slot0' });
export const liquidityRead = ({ address }: Pool) => contractRead({ address, abi: v3Pool, functionName: 'liquidity' });

/** `undefined` when the pool has no reserves. */
export function v2Depth(pool: Pool, { reserve0, reserve1 }: V2State, tokenIn: Address): PoolDepth | undefined {
  return depthInDirection({ pool, tokenIn, fee: V2_FEE }, reserve0 << Q96, reserve1 << Q96);
}

/** `undefined` when the pool is not initialized or has no liquidity at its current price. */
export function v3Depth(pool: Pool, { sqrtPriceX96, liquidity }: V3State, tokenIn: Address): PoolDepth | undefined {
  if (sqrtPriceX96 === 0n) return undefined;
  const direction = { pool, tokenIn, fee: pool.fee ?? V2_FEE };
  return depthInDirection(direction, (liquidity << (Q96 * 2n)) / sqrtPriceX96, liquidity * sqrtPriceX96);
}

interface Direction {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly fee: number;
}

function depthInDirection({ pool, tokenIn, fee }: Direction, scaled0: bigint, scaled1: bigint): PoolDepth | undefined {
  if (scaled0 === 0n || scaled1 === 0n) return undefined;
  return tokenIn === pool.token0
    ? { reserveIn: scaled0, reserveOut: scaled1, fee: BigInt(fee) }
    : { reserveIn: scaled1, reserveOut: scaled0, fee: BigInt(fee) };
}
