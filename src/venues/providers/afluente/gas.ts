import type { Address } from 'viem';
import { candidateRoutes } from './candidates';
import { exchange, type Exchange, type Side } from './exchange';
import type { Market } from './market';
import { tokenPaths } from './token-paths';

/** Turns gas units into base units of a token. */
export type GasWorth = (gas: bigint) => bigint;

/**
 * Measured, with room for tokens behind proxies: of everything around the pools, of a pool of each kind, of each tick and
 * word of ticks that is passed, of each way beyond the first, of collecting what the ways bring together, of wrapping or
 * unwrapping the coin.
 */
const GAS = {
  base: 85_000n,
  constantProduct: 90_000n,
  concentrated: 100_000n,
  tick: 28_000n,
  word: 8500n,
  way: 15_000n,
  collecting: 40_000n,
  coin: 30_000n,
};

export interface GasSubject {
  readonly side: Side;
  /** How many ends of the trade are the native coin. */
  readonly coins: number;
}

/** Gas units that a trade takes, estimated. */
export function gasOf(ways: readonly Pick<Exchange, 'route' | 'passed'>[], { side, coins }: GasSubject): bigint {
  let gas = GAS.base + GAS.coin * BigInt(coins) + GAS.way * BigInt(ways.length - 1);
  if (ways.length > 1 && side === 'in') gas += GAS.collecting;
  for (const { route, passed } of ways) {
    gas += GAS.tick * BigInt(passed.ticks) + GAS.word * BigInt(passed.words);
    for (const { pool } of route) gas += pool.fee === undefined ? GAS.constantProduct : GAS.concentrated;
  }
  return gas;
}

/** Where gas is paid, and in what it is to be expressed. */
export interface GasQuestion {
  /** The wrapped native coin. */
  readonly coin: Address;
  readonly token: Address;
  readonly connectors: readonly Address[];
  /** Wei. */
  readonly feePerGas: bigint;
}

/** A thousandth of a coin of 18 decimals: enough to be worth something in any token. */
const SAMPLE = 10n ** 15n;

/** What gas is worth in a token, at the price for which the pools sell a little of the coin; `undefined` when none do. */
export function gasWorth(market: Market, question: GasQuestion): GasWorth | undefined {
  const { coin, token, connectors, feePerGas } = question;
  if (coin === token) return (gas) => gas * feePerGas;
  const paths = tokenPaths(connectors, coin, token);
  const outs = candidateRoutes(market, { paths, side: 'in', amounts: [SAMPLE] }).map(
    (route) => exchange(route, 'in', SAMPLE)?.amountOut ?? 0n,
  );
  const most = outs.reduce((best, out) => (out > best ? out : best), 0n);
  // Rounded up: a split has to earn more than it costs.
  return most === 0n ? undefined : (gas) => (gas * feePerGas * most) / SAMPLE + 1n;
}
