import { BlockNotFoundError, type PublicClient, type TransactionReceipt } from 'viem';
import { readReceipt } from './read-receipt';
import type { Rpc } from './rpc';
import { isTooLarge } from './rpc-failure';
import { maxBigInt, minBigInt } from '../money/min-max';

type RequestRpc = Pick<Rpc, 'request'>;

/** The receipt of a transaction, `undefined` when it is not mined. @throws PROVIDER_UNAVAILABLE */
export async function requestReceipt(
  rpc: RequestRpc,
  { chainId, txHash }: { readonly chainId: number; readonly txHash: string },
): Promise<TransactionReceipt | undefined> {
  return rpc.request(chainId, (client) => readReceipt(client, txHash));
}

/** Blocks per `eth_getLogs`, as public nodes allow. Fewer when the response is too large. */
const RANGE = 2000n;
/** Ranges per search; the next search continues there. */
const MAX_RANGES = 8;

export interface Search<Found> {
  readonly chainId: number;
  readonly fromBlock: bigint;
  /** Finds the event in a range of blocks. */
  find(client: PublicClient, range: { fromBlock: bigint; toBlock: bigint }): Promise<Found | undefined>;
}

export interface SearchResult<Found> {
  readonly found: Found | undefined;
  /** Start of the next search. */
  readonly next: bigint;
}

/**
 * Searches forward in bounded ranges, up to the latest block or the limit of one search. A range whose events are too many
 * for one response is halved, down to one block.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function searchLogs<Found>(rpc: RequestRpc, search: Search<Found>): Promise<SearchResult<Found>> {
  return rpc.request(search.chainId, async (client) => {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    let fromBlock = search.fromBlock;
    let range = RANGE;
    let count = 0;
    while (count < MAX_RANGES && fromBlock <= head) {
      const toBlock = minBigInt(fromBlock + range - 1n, head);
      try {
        const found = await search.find(client, { fromBlock, toBlock });
        if (found !== undefined) return { found, next: fromBlock };
        fromBlock = toBlock + 1n;
        count += 1;
      } catch (error) {
        if (!isTooLarge(error) || toBlock === fromBlock) throw error;
        range = maxBigInt(1n, (toBlock - fromBlock + 1n) / 2n);
      }
    }
    return { found: undefined, next: fromBlock };
  });
}

/**
 * The latest block at or before `timestamp` (Unix seconds); the first block when all are later. A block that the node lacks
 * counts as later: behind a load balancer a node may lag behind the reported head, and an early start only costs time.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function blockAt(
  rpc: RequestRpc,
  { chainId, timestamp }: { readonly chainId: number; readonly timestamp: bigint },
): Promise<bigint> {
  return rpc.request(chainId, async (client) => {
    let low = 0n;
    let high = await client.getBlockNumber({ cacheTime: 0 });
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      const time = await timeOf(client, middle);
      if (time !== undefined && time <= timestamp) low = middle;
      else high = middle - 1n;
    }
    return low;
  });
}

async function timeOf(client: PublicClient, blockNumber: bigint): Promise<bigint | undefined> {
  try {
    return (await client.getBlock({ blockNumber, includeTransactions: false })).timestamp;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    throw error;
  }
}

/** True when a block has the confirmations that its chain requires. @throws PROVIDER_UNAVAILABLE */
export async function isFinal(
  rpc: RequestRpc,
  { chain, blockNumber }: { readonly chain: { chainId: number; confirmations: number }; readonly blockNumber: bigint },
): Promise<boolean> {
  const head = await rpc.request(chain.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  return head >= blockNumber + BigInt(chain.confirmations);
}
