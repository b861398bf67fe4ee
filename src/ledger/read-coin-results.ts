import type { Hex, PublicClient } from 'viem';
import { z } from 'zod';
import { describeFailure } from '../errors/describe-failure';
import { readHead } from '../rpc/head-reader';
import { requestEach } from '../rpc/request-each';
import { isRateLimited } from '../rpc/rpc-failure';
import type { CoinResult, CoinTransfer } from './coin-transfers';
import type { LedgerDeps } from './ledger-deps';
import type { BlockTransfers } from './read-transfers';

/** Receipts requested at the same time. */
const RECEIPTS_PER_ROUND = 50;

const address = z.string().transform((text) => text.toLowerCase());
const receiptSchema = z.object({
  blockHash: z.string(),
  transactionHash: z.string(),
  status: z.enum(['0x0', '0x1']),
  contractAddress: address.nullish(),
});

/** The node has no receipt of a transaction in its block. */
class MissingReceiptError extends Error {
  override readonly name = 'MissingReceiptError';
}

/** Blocks with their results, from the first on. */
interface CoinResults {
  readonly blocks: readonly BlockTransfers[];
  /** Present when the node limits the rate of requests: the results of the blocks behind `blocks` were not read. */
  readonly limit?: Error;
}

/**
 * Reads whether the transactions that send coin from or to watched wallets succeeded: usually none of a block. A block whose
 * receipts cannot be read has a `failure`.
 *
 * @throws when the node does not respond at all
 */
export async function readCoinResults(
  { database, rpc }: Pick<LedgerDeps, 'database' | 'rpc'>,
  chainId: number,
  blocks: readonly BlockTransfers[],
): Promise<CoinResults> {
  const sides = new Set(blocks.flatMap(({ header }) => header.coins.flatMap(sidesOf)));
  if (sides.size === 0) return { blocks };
  const rows = await database.$queryRaw<{ address: string }[]>`
    SELECT address FROM "WatchedWallet" WHERE address = ANY (${[...sides]}::text[]) AND "suspendedAt" IS NULL`;
  const watched = new Set(rows.map((row) => row.address));
  const results: BlockTransfers[] = [];
  for (const block of blocks) {
    const { read, limit } = await withResults(rpc.client(chainId), block, watched);
    // What was read so far is recorded: the same requests again would reach the same limit.
    if (limit !== undefined) return { blocks: results, limit };
    results.push(read);
  }
  return { blocks: results };
}

/** The sender, and the receiver unless the transaction creates it. */
export const sidesOf = ({ from, to }: CoinTransfer): readonly string[] => (to === undefined ? [from] : [from, to]);

async function withResults(
  client: PublicClient,
  block: BlockTransfers,
  watched: ReadonlySet<string>,
): Promise<{ readonly read: BlockTransfers; readonly limit?: Error }> {
  const coins = block.header.coins.filter((coin) => sidesOf(coin).some((side) => watched.has(side)));
  if (coins.length === 0) return { read: block };
  const { coinResults, failure } = await readResults(client, block, coins);
  if (failure === undefined) return { read: { ...block, coinResults } };
  if (isRateLimited(failure)) return { read: block, limit: failure };
  // A node that does not respond at all says nothing about the block.
  await readHead(client);
  return { read: { ...block, coinResults, failure: block.failure ?? failure } };
}

/** The results by hash, and the first failure. */
interface ReceiptResults {
  readonly coinResults: ReadonlyMap<string, CoinResult>;
  readonly failure: Error | undefined;
}

async function readResults(
  client: PublicClient,
  block: BlockTransfers,
  coins: readonly CoinTransfer[],
): Promise<ReceiptResults> {
  const coinResults = new Map<string, CoinResult>();
  let failure: Error | undefined;
  for (let start = 0; start < coins.length; start += RECEIPTS_PER_ROUND) {
    const round = coins.slice(start, start + RECEIPTS_PER_ROUND);
    const results = await requestEach(
      round.map((coin) => (signal?: AbortSignal) => readResult(client, { block, coin }, signal)),
    );
    for (const [index, { txHash }] of round.entries()) {
      const result = results[index];
      coinResults.set(txHash, result?.status === 'fulfilled' ? result.value : UNREADABLE);
      if (result?.status === 'rejected') failure ??= errorOf(result.reason);
    }
  }
  return { coinResults, failure };
}

const errorOf = (reason: unknown): Error =>
  reason instanceof Error ? reason : new MissingReceiptError(describeFailure(reason).message);

/** Nothing is recorded of a transaction without a receipt: its block is incomplete. */
const UNREADABLE: CoinResult = { succeeded: false, created: undefined };

async function readResult(
  client: PublicClient,
  { block: { header }, coin: { txHash } }: { readonly block: BlockTransfers; readonly coin: CoinTransfer },
  signal: AbortSignal | undefined,
): Promise<CoinResult> {
  const response: unknown = await client.request(
    { method: 'eth_getTransactionReceipt', params: [txHash as Hex] },
    signal === undefined ? {} : { signal },
  );
  const { data } = receiptSchema.safeParse(response);
  if (data?.blockHash.toLowerCase() !== header.hash || data.transactionHash.toLowerCase() !== txHash) {
    throw new MissingReceiptError('the node has no receipt of the transaction in its block');
  }
  return { succeeded: data.status === '0x1', created: data.contractAddress ?? undefined };
}
