import { BlockNotFoundError, type PublicClient, type TransactionReceipt } from 'viem';
import { readReceipt } from './read-receipt';
import type { Rpc } from './rpc';
import { minBigInt } from '../money/min-max';

type Ask = Pick<Rpc, 'ask'>;

/** The receipt of a transaction, `undefined` when it is not mined. @throws PROVIDER_UNAVAILABLE */
export async function requestReceipt(
  rpc: Ask,
  { chainId, txHash }: { readonly chainId: number; readonly txHash: string },
): Promise<TransactionReceipt | undefined> {
  return rpc.ask(chainId, (client) => readReceipt(client, txHash));
}

/** Blocks of one `eth_getLogs`: what public nodes allow. */
const RANGE = 2000n;
/** Ranges of one look; the next look goes on from there. */
const RANGES_PER_LOOK = 8;

export interface Search<Found> {
  readonly chainId: number;
  readonly fromBlock: bigint;
  /** What is looked for among the events of a range of blocks. */
  find(client: PublicClient, range: { fromBlock: bigint; toBlock: bigint }): Promise<Found | undefined>;
}

export interface SearchResult<Found> {
  readonly found: Found | undefined;
  /** First block that was not searched. */
  readonly next: bigint;
}

/** Searches forward in bounded ranges, up to the newest block or what one look may take. @throws PROVIDER_UNAVAILABLE */
export async function searchLogs<Found>(rpc: Ask, search: Search<Found>): Promise<SearchResult<Found>> {
  return rpc.ask(search.chainId, async (client) => {
    const head = await client.getBlockNumber({ cacheTime: 0 });
    let fromBlock = search.fromBlock;
    for (let count = 0; count < RANGES_PER_LOOK && fromBlock <= head; count += 1) {
      const end = fromBlock + RANGE - 1n;
      const toBlock = minBigInt(end, head);
      const found = await search.find(client, { fromBlock, toBlock });
      if (found !== undefined) return { found, next: fromBlock };
      fromBlock = toBlock + 1n;
    }
    return { found: undefined, next: fromBlock };
  });
}

/**
 * The newest block that is not younger than `timestamp` (Unix seconds); the first one when all are younger. A block that
 * the node does not have counts as younger: behind one address there may be nodes that are not as far as the head that
 * was told, and a start too early only takes longer. @throws PROVIDER_UNAVAILABLE
 */
export async function blockAt(
  rpc: Ask,
  { chainId, timestamp }: { readonly chainId: number; readonly timestamp: bigint },
): Promise<bigint> {
  return rpc.ask(chainId, async (client) => {
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

/** True when as many blocks lie on top of a block as its chain wants. @throws PROVIDER_UNAVAILABLE */
export async function isFinal(
  rpc: Ask,
  { chain, blockNumber }: { readonly chain: { chainId: number; confirmations: number }; readonly blockNumber: bigint },
): Promise<boolean> {
  const head = await rpc.ask(chain.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  return head >= blockNumber + BigInt(chain.confirmations);
}
