import {
  type Block,
  BlockNotFoundError,
  formatTransaction,
  type Hex,
  numberToHex,
  type PublicClient,
  type Transaction,
} from 'viem';
import { minBigInt } from '../../money/min-max';
import { requestEach } from '../../rpc/request-each';
import { isRateLimited } from '../../rpc/rpc-failure';
import type { BlockId } from './cursor';

/** A mined transaction, as the node describes it. */
export type NodeTransaction = Transaction<bigint, number, false>;

/** A mined block with its transactions. */
export interface MinedBlock extends BlockId {
  /** `undefined` when the node cannot show the block: then only its place in the chain is certain. */
  readonly parentHash: string | undefined;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly transactions: readonly NodeTransaction[];
  /** Why some of the transactions are missing; `undefined` when the block is complete. */
  readonly failure?: unknown;
  /** Set when an item in quarantine is retried: only calls that were issued before it was first seen are carried out. */
  readonly issuedUntil?: Date | undefined;
}

export interface BlockRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads the blocks of a chain in order. Remembers how many to request at the same time. */
export interface BlockReader {
  /** The first blocks of the range, up to the first that the node does not have yet, or until they use much memory. */
  read(range: BlockRange): Promise<readonly MinedBlock[]>;
}

/** Blocks requested at the same time, at first and while they are large. */
const NARROW = 3;
/** Blocks requested at the same time while they are small. */
const WIDE = 10;
/** Size of the blocks of one round, in characters of calldata, above which fewer are requested. */
const LARGE_ROUND = 2_000_000;
/** Size above which blocks that were read are recorded before others are read. */
const MAX_SIZE = 16_000_000;

export function createBlockReader(client: PublicClient): BlockReader {
  let width = NARROW;
  return {
    async read({ first, last }) {
      const blocks: MinedBlock[] = [];
      let size = 0;
      for (let next = first; next <= last && size < MAX_SIZE; next = first + BigInt(blocks.length)) {
        const end = minBigInt(last, next + BigInt(width - 1));
        const round = await readRound(client, { first: next, last: end });
        blocks.push(...round);
        if (BigInt(round.length) < end - next + 1n) return blocks;
        const roundSize = round.reduce((sum, block) => sum + sizeOf(block), 0);
        size += roundSize;
        width = roundSize > LARGE_ROUND ? NARROW : WIDE;
      }
      return blocks;
    },
  };
}

/** Requests the blocks of a range together. */
async function readRound(client: PublicClient, { first, last }: BlockRange): Promise<readonly MinedBlock[]> {
  const numbers = Array.from(
    { length: Number.parseInt((last - first + 1n).toString(), 10) },
    (_, offset) => first + BigInt(offset),
  );
  const read = await Promise.all(numbers.map((number) => readBlock(client, number)));
  const missing = read.indexOf(undefined);
  return read.slice(0, missing === -1 ? read.length : missing).filter((block) => block !== undefined);
}

const sizeOf = ({ transactions }: MinedBlock): number =>
  transactions.reduce(
    (sum, { input }) => sum + ((input as string | undefined) ?? '').length,
    transactions.length * 500,
  );

/** A block with its transactions; `undefined` when the node does not have it yet. */
export async function readBlock(client: PublicClient, blockNumber: bigint): Promise<MinedBlock | undefined> {
  try {
    return await client.getBlock({ blockNumber, includeTransactions: true });
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    if (isRateLimited(error)) throw error;
    return readInPieces(client, blockNumber, error);
  }
}

/**
 * A block that cannot be read at once, because it is too large or malformed: its header, then its transactions by index.
 * What is missing in the end is stated by `failure`.
 *
 * @throws `failure` when the node responds to nothing else either
 */
async function readInPieces(
  client: PublicClient,
  blockNumber: bigint,
  failure: unknown,
): Promise<MinedBlock | undefined> {
  try {
    const header = await client.getBlock({ blockNumber, includeTransactions: false });
    return { ...placeOf(header), ...(await readTransactions(client, header)) };
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    return readPlace(client, blockNumber, failure);
  }
}

const placeOf = ({ number, hash, parentHash, timestamp }: Block<bigint, boolean, 'latest'>) => ({
  number,
  hash,
  parentHash,
  timestamp,
});

/** Transactions requested at the same time. */
const TRANSACTIONS_PER_ROUND = 50;
/** Transactions of a block that may fail before the others are left to a later attempt. */
const MAX_FAILURES = 100;

async function readTransactions(
  client: PublicClient,
  { hash: blockHash, transactions: hashes }: Block<bigint, false, 'latest'>,
): Promise<Pick<MinedBlock, 'transactions' | 'failure'>> {
  const transactions: NodeTransaction[] = [];
  const failures: unknown[] = [];
  for (let start = 0; start < hashes.length && failures.length < MAX_FAILURES; start += TRANSACTIONS_PER_ROUND) {
    const indexes = hashes.slice(start, start + TRANSACTIONS_PER_ROUND).map((_, offset) => start + offset);
    const round = await requestEach(
      indexes.map((index) => (signal?: AbortSignal) => readTransaction(client, { blockHash, index }, signal)),
    );
    for (const result of round) {
      if (result.status === 'fulfilled') transactions.push(result.value);
      else failures.push(result.reason);
    }
  }
  return failures.length === 0 ? { transactions } : { transactions, failure: failures[0] };
}

/** The node does not have a transaction that its block contains. */
class MissingTransactionError extends Error {
  override readonly name = 'MissingTransactionError';
}

async function readTransaction(
  client: PublicClient,
  { blockHash, index }: { readonly blockHash: Hex; readonly index: number },
  signal: AbortSignal | undefined,
): Promise<NodeTransaction> {
  const response = await client.request(
    { method: 'eth_getTransactionByBlockHashAndIndex', params: [blockHash, numberToHex(index)] },
    signal === undefined ? {} : { signal },
  );
  if (response === null) throw new MissingTransactionError('the node does not have a transaction of its block');
  return formatTransaction(response) as NodeTransaction;
}

/** The place of a block in its chain, from the block after it: the node cannot even show its header. */
async function readPlace(client: PublicClient, number: bigint, failure: unknown): Promise<MinedBlock | undefined> {
  try {
    const child = await client.getBlock({ blockNumber: number + 1n, includeTransactions: false });
    const { parentHash: hash, timestamp } = child;
    return { number, hash, parentHash: undefined, timestamp, transactions: [], failure };
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    throw failure;
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

/** True when each block is the child of the one before it, the first the child of `parent`. */
export const areLinked = (parent: BlockId, blocks: readonly MinedBlock[]): boolean =>
  blocks.every(({ parentHash }, index) => [undefined, (blocks[index - 1] ?? parent).hash].includes(parentHash));
