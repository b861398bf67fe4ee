import { type Address, concatHex, type Hex, numberToHex } from 'viem';
import type { Pool } from '../../../pools/pool';
import type { StockedPool } from '../../../pools/spot-limit';

/** One pool of a route, in the direction of the trade. */
export interface Hop extends StockedPool {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Millionths of the amount that goes in. */
  readonly fee: number;
}

export type Route = readonly [Hop, ...Hop[]];

export interface PathStep {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly fee: number;
}

/** A path as the venue packs it: token, fee in three bytes, token…; from the end to the start when the output is exact. */
export function packedPath(steps: readonly PathStep[], side: 'in' | 'out'): Hex {
  const forward: Hex[] = steps.flatMap(({ tokenIn, fee }) => [tokenIn, numberToHex(fee, { size: 3 })]);
  const parts = [...forward, ...steps.slice(-1).map((last): Hex => last.tokenOut)];
  return concatHex(side === 'in' ? parts : parts.toReversed()).toLowerCase() as Hex;
}
