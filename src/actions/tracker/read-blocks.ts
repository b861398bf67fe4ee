import { type Block, BlockNotFoundError, type PublicClient } from 'viem';
import type { BlockId } from './cursor';

/** A mined block with its transactions. */
export type MinedBlock = Block<bigint, true, 'latest'>;

/** Blocks requested at the same time: on a busy chain more would make the response too large. */
const MAX_CONCURRENT_BLOCKS = 3;

export interface BlockRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** The blocks of a range in order, up to the first that the node does not have yet. */
export async function readBlocks(client: PublicClient, { first, last }: BlockRange): Promise<readonly MinedBlock[]> {
  const blocks: MinedBlock[] = [];
  for (let next = first; next <= last; next += BigInt(MAX_CONCURRENT_BLOCKS)) {
    const numbers = Array.from({ length: MAX_CONCURRENT_BLOCKS }, (_, offset) => next + BigInt(offset));
    const inRange = numbers.filter((number) => number <= last);
    const read = await Promise.all(inRange.map((blockNumber) => readBlock(client, blockNumber)));
    for (const block of read) {
      if (block === undefined) return blocks;
      blocks.push(block);
    }
  }
  return blocks;
}

async function readBlock(client: PublicClient, blockNumber: bigint): Promise<MinedBlock | undefined> {
  try {
    return await client.getBlock({ blockNumber, includeTransactions: true });
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    throw error;
  }
}

/** Number and hash of a block, `undefined` when the node does not have it. */
export async function readBlockId(client: PublicClient, blockNumber: bigint): Promise<BlockId | undefined> {
  try {
    const { number, hash } = await client.getBlock({ blockNumber, includeTransactions: false });
    return { number, hash };
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    throw error;
  }
}

/** The newest block. */
export async function readHead(client: PublicClient): Promise<BlockId> {
  const { number, hash } = await client.getBlock({ includeTransactions: false });
  return { number, hash };
}

/** True when each block is the child of the one before it, the first the child of `parent`. */
export const areLinked = (parent: BlockId, blocks: readonly MinedBlock[]): boolean =>
  blocks.every((block, index) => block.parentHash === (blocks[index - 1] ?? parent).hash);
