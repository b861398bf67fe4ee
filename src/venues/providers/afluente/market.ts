import type { Address } from 'viem';
import type { LiveHop } from '../../../pools/live-hop';
import { type Pool, type PoolKey, poolKey } from '../../../pools/pool';
import type { PoolBook } from '../../../pools/pool-book';
import type { PoolDirectory } from '../../../pools/pool-directory';
import type { SameChainTrade } from '../../same-chain-trade';
import { connectorsBetween } from './token-paths';
import type { Venue } from './venue';

/** Everything that can be traded between some tokens, as of one block. */
export interface Market {
  /** The pools from one token to another, in that direction. */
  hops(tokenIn: Address, tokenOut: Address): readonly LiveHop[];
}

export interface MarketDeps {
  readonly pools: PoolDirectory;
  readonly book: PoolBook;
}

/** A market that can be looked at again when a trade leaves what is known of its pools. */
export interface MarketReader {
  /** What a transaction is expected to pay for a unit of gas, in wei. */
  readonly feePerGas: bigint;
  read(signal: AbortSignal): Promise<Market>;
  /** Reads more of the pools. */
  widen(pools: readonly Pool[], signal: AbortSignal): Promise<void>;
}

/**
 * The pools among the ends of a trade, the connectors of its chain and the wrapped native coin, after the newest block.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function openMarket(
  { pools, book }: MarketDeps,
  { trade, venue }: { readonly trade: SameChainTrade; readonly venue: Venue },
  signal: AbortSignal,
): Promise<MarketReader> {
  const { chainId } = trade.chain;
  const keys = poolKeys(tokensOf(trade), venue);
  const [located, page] = await Promise.all([pools.locate(chainId, keys, signal), book.newest(chainId, signal)]);
  return {
    feePerGas: page.feePerGas,
    read: async (until) => marketOf(await page.hops(located, until)),
    widen: (asked, until) => page.widen(asked, until),
  };
}

function tokensOf({ chain, tokenIn, tokenOut }: SameChainTrade): readonly Address[] {
  const coin = chain.wrappedNative === undefined ? [] : [chain.wrappedNative];
  const connectors = connectorsBetween(chain.connectors, [tokenIn, tokenOut]);
  return [...new Set([tokenIn, tokenOut, ...connectors, ...coin])];
}

function poolKeys(tokens: readonly Address[], venue: Venue): readonly PoolKey[] {
  const pairs = tokens.flatMap((one, index) => tokens.slice(index + 1).map((other) => [one, other] as const));
  return pairs.flatMap(([one, other]) => venue.pools.map((each) => poolKey(each, one, other)));
}

export function marketOf(hops: readonly LiveHop[]): Market {
  const byPair = new Map<string, LiveHop[]>();
  for (const hop of hops) {
    const name = pairName(hop.tokenIn, hop.tokenOut);
    const found = byPair.get(name);
    if (found === undefined) byPair.set(name, [hop]);
    else found.push(hop);
  }
  return { hops: (tokenIn, tokenOut) => byPair.get(pairName(tokenIn, tokenOut)) ?? [] };
}

const pairName = (tokenIn: Address, tokenOut: Address): string => `${tokenIn} to ${tokenOut}`;
