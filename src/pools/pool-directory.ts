import { LRUCache } from 'lru-cache';
import { parseAbi } from 'viem';
import { atMostEntries } from '../async/cache-size';
import { ZERO_ADDRESS } from '../chains/addresses';
import { contractRead } from '../rpc/contract-read';
import type { Rpc } from '../rpc/rpc';
import type { Pool, PoolKey } from './pool';

/** Finds the addresses of pools. */
export interface PoolDirectory {
  /** The existing pools, in the order of the keys. Sends one eth_call when some are not cached. */
  locate(chainId: number, keys: readonly PoolKey[], signal?: AbortSignal): Promise<readonly Pool[]>;
}

const MAX_POOLS = 50_000;
/** The address of a pool never changes; a missing pool may be created at any time. */
const FOUND_TTL_MS = 600_000;
const ABSENT_TTL_MS = 15_000;

const v2Factory = parseAbi(['function getPair(address tokenA, address tokenB) view returns (address)']);
const v3Factory = parseAbi(['function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)']);

/** `locate` throws PROVIDER_UNAVAILABLE when the RPC node does not respond. */
export function createPoolDirectory({ rpc }: { readonly rpc: Pick<Rpc, 'multicall'> }): PoolDirectory {
  const addresses = new LRUCache<string, string>(atMostEntries(MAX_POOLS));
  return {
    async locate(chainId, keys, signal) {
      const found = new Map(keys.map((key) => [key, addresses.get(cacheKey(chainId, key))]));
      const uncached = keys.filter((key) => found.get(key) === undefined);
      const located = uncached.length === 0 ? [] : await rpc.multicall(chainId, uncached.map(addressRead), { signal });
      uncached.forEach((key, index) => {
        const address = located[index] ?? ZERO_ADDRESS;
        found.set(key, address);
        const ttl = address === ZERO_ADDRESS ? ABSENT_TTL_MS : FOUND_TTL_MS;
        addresses.set(cacheKey(chainId, key), address, { ttl });
      });
      return keys.flatMap((key) => poolAt(key, found.get(key)));
    },
  };
}

function poolAt(key: PoolKey, address: string | undefined): readonly Pool[] {
  return address === undefined || address === ZERO_ADDRESS ? [] : [{ ...key, address: address as Pool['address'] }];
}

const cacheKey = (chainId: number, { factory, token0, token1, fee }: PoolKey): string =>
  [chainId, factory, token0, token1, fee ?? 'v2'].join(':');

function addressRead({ factory, token0, token1, fee }: PoolKey) {
  return fee === undefined
    ? contractRead({ address: factory, abi: v2Factory, functionName: 'getPair', args: [token0, token1] })
    : contractRead({ address: factory, abi: v3Factory, functionName: 'getPool', args: [token0, token1, fee] });
}
