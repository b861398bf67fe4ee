import { LRUCache } from 'lru-cache';
import type { Address, PublicClient } from 'viem';
import { atMostEntries } from '../../async/cache-size';
import { blockAt } from '../../rpc/search-logs';
import type { Rpc } from '../../rpc/rpc';
import { nodeErrorOf } from '../../rpc/rpc-failure';
import type { Strategy } from '../strategy';

/** Blocks from which the logs of strategies are read. */
export interface StartBlocks {
  /**
   * Block in which the receipt token was created. Where the node lacks old states, the first block of the day before the
   * strategy's start date.
   *
   * @throws PROVIDER_UNAVAILABLE
   */
  find(strategy: Strategy): Promise<bigint>;
}

const MAX_CACHED = 10_000;
const DAY_SECONDS = 86_400n;

/** Finds start blocks by bisection, and keeps them in memory: a contract is created once. */
export function createStartBlocks({ rpc }: { readonly rpc: Pick<Rpc, 'request'> }): StartBlocks {
  const found = new LRUCache<string, Promise<bigint>>(atMostEntries(MAX_CACHED));
  return {
    find(strategy) {
      const { chainId } = strategy.chain;
      const key = `${String(chainId)}:${strategy.receipt.address}`;
      const known = found.get(key);
      if (known !== undefined) return known;
      const search = findStart(rpc, strategy);
      found.set(key, search);
      search.catch(() => found.delete(key));
      return search;
    },
  };
}

async function findStart(rpc: Pick<Rpc, 'request'>, { chain, receipt, row }: Strategy): Promise<bigint> {
  const { chainId } = chain;
  const created = await rpc.request(chainId, async (client) => {
    try {
      return await creationBlock(client, receipt.address as Address);
    } catch (error) {
      // The node responded, and lacks the state.
      if (nodeErrorOf(error) !== undefined) return undefined;
      throw error;
    }
  });
  if (created !== undefined) return created;
  const timestamp = BigInt(Math.floor(Date.parse(row.startDate) / 1000)) - DAY_SECONDS;
  return blockAt(rpc, { chainId, timestamp });
}

/** The first block after which the contract has code. @throws the error of the node */
async function creationBlock(client: PublicClient, address: Address): Promise<bigint> {
  let low = 0n;
  let high = await client.getBlockNumber({ cacheTime: 0 });
  while (low < high) {
    const middle = (low + high) / 2n;
    const code = await client.getCode({ address, blockNumber: middle });
    if (code === undefined || code === '0x') low = middle + 1n;
    else high = middle;
  }
  return low;
}
