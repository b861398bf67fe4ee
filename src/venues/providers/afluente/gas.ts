import type { Address } from 'viem';
import { maxBigInt } from '../../../money/min-max';
import { findCandidateRoutes } from './candidate-routes';
import { quoteRoute, type RouteQuote, type Side } from './route-quote';
import type { PoolGraph } from './pool-graph';
import { tokenPaths } from './token-paths';

/** Converts gas units to base units of a token. */
export type GasConverter = (gas: bigint) => bigint;

/**
 * Measured, with a margin for tokens behind proxies: everything outside the pools, one pool of each kind, one crossed tick
 * or bitmap word, one additional split, the collection of several splits, wrapping or unwrapping of the native coin.
 */
const GAS = {
  base: 85_000n,
  constantProduct: 90_000n,
  concentrated: 100_000n,
  tick: 28_000n,
  word: 8500n,
  split: 15_000n,
  collecting: 40_000n,
  coin: 30_000n,
};

export interface GasParameters {
  readonly side: Side;
  /** Number of ends of the trade that are the native coin: 0, 1 or 2. */
  readonly nativeEnds: number;
}

/** Estimates the gas units of a trade. */
export function estimateGas(
  splits: readonly Pick<RouteQuote, 'route' | 'crossings'>[],
  { side, nativeEnds }: GasParameters,
): bigint {
  let gas = GAS.base + GAS.coin * BigInt(nativeEnds) + GAS.split * BigInt(splits.length - 1);
  if (splits.length > 1 && side === 'in') gas += GAS.collecting;
  for (const { route, crossings } of splits) {
    gas += GAS.tick * BigInt(crossings.ticks) + GAS.word * BigInt(crossings.words);
    for (const { pool } of route) gas += pool.fee === undefined ? GAS.constantProduct : GAS.concentrated;
  }
  return gas;
}

/** The gas price, and the token to convert gas to. */
interface GasConversion {
  /** The wrapped native coin. */
  readonly coin: Address;
  readonly token: Address;
  readonly connectors: readonly Address[];
  /** Wei. */
  readonly feePerGas: bigint;
}

/** A thousandth of a coin of 18 decimals: worth at least one base unit of every token. */
const SAMPLE = 10n ** 15n;

/** Returns a converter at the price at which the pools buy a small amount of the native coin; `undefined` without a route. */
export function gasConverter(graph: PoolGraph, conversion: GasConversion): GasConverter | undefined {
  const { coin, token, connectors, feePerGas } = conversion;
  if (coin === token) return (gas) => gas * feePerGas;
  const paths = tokenPaths(connectors, coin, token);
  const outs = findCandidateRoutes(graph, { paths, side: 'in', amounts: [SAMPLE] }).map(
    (route) => quoteRoute(route, 'in', SAMPLE)?.amountOut ?? 0n,
  );
  const best = maxBigInt(0n, ...outs);
  // Rounded up: a split has to gain more than its gas costs.
  return best === 0n ? undefined : (gas) => (gas * feePerGas * best) / SAMPLE + 1n;
}
