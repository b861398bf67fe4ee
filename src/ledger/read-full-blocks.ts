import { numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { readBlock } from '../actions/tracker/read-blocks';
import { isTooLarge } from '../rpc/rpc-failure';
import { type CoinTransfer, parseCoins } from './coin-transfers';
import { batchKey, isBatchExecution } from './operation-logs';
import { type BlockHeader, MalformedBlockError, parseHeader, readHeader } from './read-headers';

/** A block with what matters of its transactions, without its logs. */
export interface FullBlock extends BlockHeader {
  readonly coins: readonly CoinTransfer[];
  /** The transactions with which Safes make several calls, by `batchKey`. */
  readonly batches: ReadonlySet<string>;
  /** Why some of the coin is missing; absent when it is complete. */
  readonly coinFailure?: unknown;
}

const transactionsSchema = z.object({ transactions: z.array(z.looseObject({})) });

/** Reads a block with its transactions; `undefined` when the node does not have it. */
export async function readFullBlock(
  client: PublicClient,
  number: bigint,
  signal?: AbortSignal,
): Promise<FullBlock | undefined> {
  try {
    const response: unknown = await client.request(
      { method: 'eth_getBlockByNumber', params: [numberToHex(number), true] },
      signal === undefined ? {} : { signal },
    );
    if (response === null) return undefined;
    const { data } = transactionsSchema.safeParse(response);
    if (data === undefined) throw new MalformedBlockError('the node returned a block without its transactions');
    const { coins, failure } = parseCoins(data.transactions);
    const batches = batchesOf(data.transactions);
    return {
      ...parseHeader(response, number),
      coins,
      batches,
      ...(failure === undefined ? {} : { coinFailure: failure }),
    };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return readInParts(client, number);
  }
}

interface SentCalldata {
  readonly hash?: unknown;
  readonly to?: unknown;
  readonly input?: unknown;
}

const batchesOf = (transactions: readonly SentCalldata[]): ReadonlySet<string> =>
  new Set(
    transactions.flatMap(({ hash, to, input }) =>
      typeof hash === 'string' && typeof to === 'string' && isBatchExecution(input)
        ? [batchKey(hash.toLowerCase(), to.toLowerCase())]
        : [],
    ),
  );

/** A block whose transactions cannot be read at once: its header, then its transactions by their positions. */
async function readInParts(client: PublicClient, number: bigint): Promise<FullBlock | undefined> {
  const header = await readHeader(client, number);
  if (header === undefined) return undefined;
  const block = await readBlock(client, number);
  if (block?.hash.toLowerCase() !== header.hash) return undefined; // replaced meanwhile: it is read again
  const coins = block.transactions.flatMap(({ hash, transactionIndex: txIndex, from, to, value }) =>
    value > 0n ? { txHash: hash, txIndex, from: from.toLowerCase(), to: to?.toLowerCase(), amount: value } : [],
  );
  const batches = batchesOf(block.transactions);
  return { ...header, coins, batches, ...(block.failure === undefined ? {} : { coinFailure: block.failure }) };
}

/** Blocks of one batch, whose response has a bound, and batches that are requested at the same time. */
const [BLOCKS_PER_BATCH, BATCHES_PER_ROUND] = [10, 3];
const BLOCKS_PER_ROUND = BLOCKS_PER_BATCH * BATCHES_PER_ROUND;

/**
 * The blocks of a range, up to the first one that the node does not have, or did not return after it had returned others.
 *
 * @throws when the node returned none
 */
export async function readFullBlocks(
  client: PublicClient,
  { first, last }: { readonly first: bigint; readonly last: bigint },
): Promise<readonly FullBlock[]> {
  const count = Number.parseInt((last - first + 1n).toString(), 10);
  const blocks: FullBlock[] = [];
  while (blocks.length < count) {
    const next = first + BigInt(blocks.length);
    const length = Math.min(BLOCKS_PER_ROUND, count - blocks.length);
    for (const result of await readRound(client, { first: next, length })) {
      if (result.status === 'rejected') {
        if (blocks.length === 0) throw result.reason;
        return blocks;
      }
      if (result.value === undefined) return blocks;
      blocks.push(result.value);
    }
  }
  return blocks;
}

/** Requests with the same signal are one batch. */
function readRound(
  client: PublicClient,
  { first, length }: { readonly first: bigint; readonly length: number },
): Promise<readonly PromiseSettledResult<FullBlock | undefined>[]> {
  const signals = Array.from({ length: BATCHES_PER_ROUND }, () => new AbortController().signal);
  return Promise.allSettled(
    Array.from({ length }, (_, offset) =>
      readFullBlock(client, first + BigInt(offset), signals[Math.floor(offset / BLOCKS_PER_BATCH)]),
    ),
  );
}
