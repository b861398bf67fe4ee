import { type Address, concatHex, type Hex, numberToHex } from 'viem';
import type { Pool } from '../../../pools/pool';
import type { HopLiquidity } from '../../../pools/liquidity-limits';

/** One pool of a route, in the direction of the trade. */
export interface V3Hop extends HopLiquidity {
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Millionths of the input. */
  readonly fee: number;
}

export type V3Route = readonly [V3Hop, ...V3Hop[]];

export interface V3PathStep {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly fee: number;
}

/** A path in the packing of V3: token, fee in three bytes, token…; reversed for an exact output. */
export function packedPath(steps: readonly V3PathStep[], side: 'in' | 'out'): Hex {
  const forward: Hex[] = steps.flatMap(({ tokenIn, fee }) => [tokenIn, numberToHex(fee, { size: 3 })]);
  const parts = [...forward, ...steps.slice(-1).map((last): Hex => last.tokenOut)];
  return concatHex(side === 'in' ? parts : parts.toReversed()).toLowerCase() as Hex;
}
