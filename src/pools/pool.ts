import type { Address } from 'viem';

/** What determines a pool: its venue's factory, its two tokens and, in V3, its fee. */
export interface PoolKey {
  readonly factory: Address;
  /** The token with the lower address. */
  readonly token0: Address;
  readonly token1: Address;
  /** V3: in millionths of the amount that goes in. `undefined` in V2, where it is always 3000. */
  readonly fee: number | undefined;
}

/** A pool that exists. */
export interface Pool extends PoolKey {
  readonly address: Address;
}

export const V3_FEES = [100, 500, 3000, 10_000] as const;
export const V2_FEE = 3000;

export interface PoolVenue {
  readonly factory: Address;
  readonly fee: number | undefined;
}

/** The key of the pool of two tokens, in either order. Comparing addresses without their checksum is what pools do. */
export function poolKey({ factory, fee }: PoolVenue, tokenA: Address, tokenB: Address): PoolKey {
  const [token0, token1] = tokenA.toLowerCase() < tokenB.toLowerCase() ? [tokenA, tokenB] : [tokenB, tokenA];
  return { factory, token0, token1, fee };
}
