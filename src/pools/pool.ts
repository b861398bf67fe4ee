import type { Address } from 'viem';

/** Identity of a pool: its factory, its two tokens and, in V3, its fee. */
export interface PoolKey {
  readonly factory: Address;
  /** The token with the lower address. */
  readonly token0: Address;
  readonly token1: Address;
  /** Millionths of the input in V3. `undefined` in V2, where it is always 3000. */
  readonly fee: number | undefined;
}

/** A deployed pool. */
export interface Pool extends PoolKey {
  readonly address: Address;
}

export const V3_FEES = [100, 500, 3000, 10_000] as const;
export const V2_FEE = 3000;

/** A factory contract and, in V3, the fee tier of its pools. */
export interface PoolFactory {
  readonly factory: Address;
  readonly fee: number | undefined;
}

/** The key of the pool of two tokens, in either order. Factories order tokens by their numeric address. */
export function poolKey({ factory, fee }: PoolFactory, tokenA: Address, tokenB: Address): PoolKey {
  const [token0, token1] = tokenA.toLowerCase() < tokenB.toLowerCase() ? [tokenA, tokenB] : [tokenB, tokenA];
  return { factory, token0, token1, fee };
}
