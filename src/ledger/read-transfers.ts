import { type Hex, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { requestEach } from '../rpc/request-each';
import { isTooLarge } from '../rpc/rpc-failure';
import type { CoinResult } from './coin-transfers';
import type { FullBlock } from './read-full-blocks';
import type { BlockHeader } from './read-headers';
import { type LedgerLogs, LOG_TOPICS, parseLogs, UnusableLogsError } from './transfer-logs';

/** A block with its token transfers, and the coin that its transactions send. */
export interface BlockTransfers extends LedgerLogs {
  readonly header: FullBlock;
  /** Whether the transactions that send coin from or to watched wallets succeeded, by hash. */
  readonly coinResults?: ReadonlyMap<string, CoinResult>;
  /** True when only the events of one wallet were read: the block may have other operations. */
  readonly isOfOneWallet?: boolean;
  /** Why some of the transfers are missing; absent when the block is complete. */
  readonly failure?: unknown;
  /** True when the node showed nothing of the block, although no response was too large. */
  readonly isUnreadable?: boolean;
}

/** The node returned no logs, or fewer, although the block proves that it has more. */
export class MissingLogsError extends Error {
  override readonly name = 'MissingLogsError';
}

/** The node may have cut its response: it has exactly as many logs as nodes return at most. */
export class CutLogsError extends Error {
  override readonly name = 'CutLogsError';
}

/** Why movements of a block are missing; `undefined` when it is complete. */
export const blockFailure = ({ failure, header }: BlockTransfers): unknown => failure ?? header.coinFailure;

/** Nodes that cut responses silently do so at a multiple of this number of logs. */
const ROUND_LIMIT = 1000;

/** @throws CutLogsError */
export function requireWhole({ count }: { readonly count: number }): void {
  if (count > 0 && count % ROUND_LIMIT === 0) throw new CutLogsError(`the node returned exactly ${count} logs`);
}

/**
 * The token transfers of one block, by its hash: a node that does not have the block says so. The response is compared with
 * the bloom filter of the block, since a node may return no logs before it has stored them.
 *
 * @throws MissingLogsError, CutLogsError, UnusableLogsError, and the failure of the node
 */
export async function readByHash(client: PublicClient, header: BlockHeader): Promise<LedgerLogs> {
  const own = new Set([header.hash]);
  const blockHash = header.hash as Hex;
  const filtered: unknown = await client.request({
    method: 'eth_getLogs',
    params: [{ blockHash, topics: [[...LOG_TOPICS]] }],
  });
  const found = parseLogs(filtered, own);
  requireWhole(found);
  if (found.blocks.size > 0 || !header.evidence.mayHaveTopic) return logsOf(found);
  // The filter of a block with many logs matches topics by chance: all its logs decide.
  const all = parseLogs(await client.request({ method: 'eth_getLogs', params: [{ blockHash }] }), own);
  requireWhole(all);
  if (all.count === 0) throw new MissingLogsError('the node returned no logs of a block that has some');
  return logsOf(all);
}

const logsOf = ({ transfers, operations, batchStarts }: LedgerLogs): LedgerLogs => ({
  transfers,
  operations,
  batchStarts,
});

/**
 * The token transfers of consecutive final blocks, with one request for all of them. A block without transfers whose bloom
 * filter allows some is read again by its hash.
 *
 * @throws MissingLogsError when the node left transfers out, and as `readByHash`
 */
export async function readRangeTransfers(
  client: PublicClient,
  headers: readonly FullBlock[],
): Promise<readonly BlockTransfers[]> {
  const [first, last] = [headers[0], headers.at(-1)];
  if (first === undefined || last === undefined) return [];
  const response: unknown = await client.request({
    method: 'eth_getLogs',
    params: [{ fromBlock: numberToHex(first.number), toBlock: numberToHex(last.number), topics: [[...LOG_TOPICS]] }],
  });
  const { blocks, count, ...logs } = parseLogs(response, new Set(headers.map((header) => header.hash)));
  requireWhole({ count });
  for (const header of headers) {
    if (blocks.has(header.hash) || !header.evidence.mayHaveTopic) continue;
    const missed = await readByHash(client, header);
    if (missed.transfers.length > 0) throw new MissingLogsError('the node left logs of a range out');
  }
  const [transfers, operations, batchStarts] = [
    byBlock(logs.transfers),
    byBlock(logs.operations),
    byBlock(logs.batchStarts),
  ];
  return headers.map((header) => ({
    header,
    transfers: transfers.get(header.hash) ?? [],
    operations: operations.get(header.hash) ?? [],
    batchStarts: batchStarts.get(header.hash) ?? [],
  }));
}

function byBlock<Log extends { readonly blockHash: string }>(
  logs: readonly Log[],
): ReadonlyMap<string, readonly Log[]> {
  const found = new Map<string, Log[]>();
  for (const log of logs) {
    const others = found.get(log.blockHash);
    if (others === undefined) found.set(log.blockHash, [log]);
    else others.push(log);
  }
  return found;
}

/** Receipts requested at the same time. */
const RECEIPTS_PER_ROUND = 50;
/** Receipts of a block that may fail before the others are left to a later attempt. */
const MAX_FAILURES = 100;
/** No other receipts of a block are requested after this time. */
const MAX_RECEIPTS_MS = 60_000;

const blockSchema = z.object({ transactions: z.array(z.string().regex(/^0x[0-9a-f]{64}$/i)) });
const receiptSchema = z.object({ blockHash: z.string(), transactionHash: z.string(), logs: z.unknown() });

/**
 * The token transfers of a block whose logs cannot be read at once, from the receipts of its transactions. What is missing in
 * the end is stated by `failure`, also after `signal` has aborted. Never throws.
 */
export async function readByReceipts(
  client: PublicClient,
  header: FullBlock,
  signal: AbortSignal,
): Promise<BlockTransfers> {
  const found: LedgerLogs[] = [];
  const failures: unknown[] = [];
  let read = 0;
  const until = Date.now() + MAX_RECEIPTS_MS;
  try {
    const params: [Hex, false] = [header.hash as Hex, false];
    const block: unknown = await client.request({ method: 'eth_getBlockByHash', params });
    const hashes = blockSchema.parse(block).transactions;
    for (let start = 0; start < hashes.length && failures.length < MAX_FAILURES; start += RECEIPTS_PER_ROUND) {
      signal.throwIfAborted();
      if (Date.now() > until) throw new MissingLogsError('the receipts of the block take too long');
      const round = hashes.slice(start, start + RECEIPTS_PER_ROUND);
      const results = await requestEach(
        round.map((txHash) => (alone?: AbortSignal) => readReceiptLogs(client, { header, txHash }, alone)),
      );
      for (const result of results) {
        if (result.status === 'fulfilled') {
          read += 1;
          found.push(result.value);
        } else failures.push(result.reason);
      }
    }
  } catch (error) {
    failures.push(error);
  }
  const logs: LedgerLogs = {
    transfers: found.flatMap(({ transfers }) => transfers),
    operations: found.flatMap(({ operations }) => operations),
    batchStarts: found.flatMap(({ batchStarts }) => batchStarts),
  };
  if (failures.length === 0) return { header, ...logs };
  return { header, ...logs, failure: failures[0], isUnreadable: read === 0 && !failures.some(isTooLarge) };
}

async function readReceiptLogs(
  client: PublicClient,
  { header, txHash }: { readonly header: BlockHeader; readonly txHash: string },
  signal: AbortSignal | undefined,
): Promise<LedgerLogs> {
  const response: unknown = await client.request(
    { method: 'eth_getTransactionReceipt', params: [txHash as Hex] },
    signal === undefined ? {} : { signal },
  );
  const { data } = receiptSchema.safeParse(response);
  if (data?.blockHash.toLowerCase() !== header.hash || data.transactionHash.toLowerCase() !== txHash.toLowerCase()) {
    throw new UnusableLogsError('the node has no receipt of the transaction in its block');
  }
  return logsOf(parseLogs(data.logs, new Set([header.hash])));
}
