import type { Logger } from 'pino';
import { resolveWithin } from '../async/resolve-within';
import { NATIVE_TOKEN } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import type { ChainTable } from '../chains/chain-table';
import { type MicroUsd, usdCost, type UsdPrice } from '../money/usd';
import type { Token } from '../tokens/token';
import type { PriceSource } from './price-source';

/**
 * Cost of gas in millionths of a US dollar, rounded up, from wei of a chain's native coin. `undefined` without a price.
 * Never rejects, and takes a few seconds at most.
 */
export type GasPricer = (chainId: number, wei: bigint) => Promise<MicroUsd | undefined>;

export interface GasPricerDeps {
  readonly prices: Pick<PriceSource, 'pricesUsd'>;
  readonly chains: Pick<ChainTable, 'all' | 'byId'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Maximum time to wait for a price, in milliseconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5000;
/** Maximum time to wait for the price on another chain, when the chain has its own. */
const COMPARISON_MS = 1000;
/** The same when the chain has no price of its own. */
const REPLACEMENT_MS = 3000;
/** Interval of the warnings about a chain without a price. */
const WARNING_INTERVAL_MS = 600_000;

/**
 * Prices a coin by the median of its prices on its own chain and on others with the same coin, the higher one of two: a
 * manipulated pool of one chain hardly changes the price of a coin that several chains have. A chain without any price is
 * logged every ten minutes at most.
 */
export function createGasPricer(deps: GasPricerDeps): GasPricer {
  const { chains, log, timeoutMs = TIMEOUT_MS } = deps;
  const warnedAt = new Map<number, number>();
  const warn = (chainId: number): void => {
    const now = Date.now();
    if (now - (warnedAt.get(chainId) ?? -Infinity) < WARNING_INTERVAL_MS) return;
    warnedAt.set(chainId, now);
    log.warn(
      { chainId },
      'no price for the gas of a chain: it is neither sponsored nor paid for completions meanwhile',
    );
  };
  return async (chainId, wei) => {
    const chain = chains.byId(chainId);
    const price = chain && (await resolveWithin(readPrice(deps, chain), timeoutMs).catch(() => undefined));
    if (price === undefined) warn(chainId);
    return price === undefined || chain === undefined ? undefined : usdCost(wei, chain.nativeCurrency.decimals, price);
  };
}

async function readPrice({ prices, chains }: GasPricerDeps, chain: Chain): Promise<UsdPrice | undefined> {
  const priceOn = async (on: Chain): Promise<UsdPrice | undefined> => (await prices.pricesUsd([coinOf(on)]))[0]?.usd;
  const own = await priceOn(chain);
  const waitMs = own === undefined ? REPLACEMENT_MS : COMPARISON_MS;
  // Each chain is waited for by itself: one that hangs must not leave the price to a single pool.
  const reading = chains.all
    .filter(hasSameCoin(chain))
    .map((other) => resolveWithin(priceOn(other), waitMs).catch(() => undefined));
  const found = [own, ...(await Promise.all(reading))].filter((price) => price !== undefined);
  const sorted = found.sort((one, other) => (one < other ? -1 : 1));
  return sorted[Math.floor(sorted.length / 2)];
}

const coinOf = ({ chainId, nativeCurrency }: Chain): Token => {
  const { name, symbol, decimals } = nativeCurrency;
  return { chainId, address: NATIVE_TOKEN, name, symbol, decimals, logoURI: undefined };
};

const hasSameCoin =
  ({ chainId, kind, nativeCurrency: { symbol, decimals } }: Chain) =>
  (other: Chain): boolean =>
    other.chainId !== chainId &&
    other.kind === kind &&
    other.nativeCurrency.symbol === symbol &&
    other.nativeCurrency.decimals === decimals;
