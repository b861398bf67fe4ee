import { type Address, type Hex, numberToHex, type PublicClient, zeroAddress } from 'viem';
import { z } from 'zod';
import { rejectOnAbort } from '../../async/race-abort';
import { TRANSFER_TOPIC } from '../../tokens/transfer-topic';
import { addressTopic } from '../protocols/receipt-transfers';
import type { LogFilter } from '../protocols/protocol';
import { groupBy } from './group-by';

/** A log that a filter selects. */
export interface FoundLog {
  /** In lower case. */
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly logIndex: number;
}

/** A transaction with logs that a filter selects. */
export interface TransactionWithLogs {
  readonly txHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly logs: readonly FoundLog[];
}

export interface LogRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** The node returned logs that do not match the request. */
export class UnusableResponseError extends Error {
  override readonly name = 'UnusableResponseError';
}

/** Contracts in one filter. */
const MAX_ADDRESSES = 100;

const hex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex);
const hash = hex(/^0x[0-9a-f]{64}$/i);
const logSchema = z.object({
  address: hex(/^0x[0-9a-f]{40}$/i),
  logIndex: hex(/^0x[0-9a-f]{1,8}$/i).transform((text) => Number.parseInt(text, 16)),
  topics: z.array(hash).max(4),
  data: hex(/^0x[0-9a-f]*$/i),
  transactionHash: hash,
  blockHash: hash,
  blockNumber: hex(/^0x[0-9a-f]{1,16}$/i).transform((text) => BigInt(text)),
  removed: z.boolean().optional(),
});
const logsSchema = z.array(logSchema);

/**
 * The transactions of a range that filters select, in order. Filters with equal topics are requested together.
 *
 * @throws UnusableResponseError; the error of the node or the transport
 */
export async function readTransactionsWithLogs(
  client: PublicClient,
  filters: readonly LogFilter[],
  { fromBlock, toBlock, signal }: LogRange & { readonly signal: AbortSignal },
): Promise<readonly TransactionWithLogs[]> {
  const responses = await Promise.all(
    mergeFilters(filters).map(async ({ addresses, topics }) => {
      const request = client.request({
        method: 'eth_getLogs',
        params: [
          {
            address: [...addresses],
            topics: topics.map((topic) => (typeof topic === 'object' && topic !== null ? [...topic] : topic)),
            fromBlock: numberToHex(fromBlock),
            toBlock: numberToHex(toBlock),
          },
        ],
      });
      return parseLogs(await rejectOnAbort(request, signal), { fromBlock, toBlock });
    }),
  );
  const transactions = [...groupBy(responses.flat(), ({ txHash }) => txHash).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : { ...first, logs: [first, ...others].flatMap(({ logs }) => logs) },
  );
  return transactions.sort((one, other) => compareBlocks(one.blockNumber, other.blockNumber));
}

function compareBlocks(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface MergedFilter {
  readonly addresses: readonly Address[];
  readonly topics: LogFilter['topics'];
}

function mergeFilters(filters: readonly LogFilter[]): readonly MergedFilter[] {
  const byTopics = groupBy(filters, ({ topics }) => JSON.stringify(topics).toLowerCase());
  return [...byTopics.values()].flatMap((group) => {
    const addresses = [...new Set(group.map(({ address }) => address))];
    const topics = group[0]?.topics ?? [];
    const count = Math.ceil(addresses.length / MAX_ADDRESSES);
    return Array.from({ length: count }, (_, index) => ({
      addresses: addresses.slice(index * MAX_ADDRESSES, (index + 1) * MAX_ADDRESSES),
      topics,
    }));
  });
}

function parseLogs(response: unknown, { fromBlock, toBlock }: LogRange): readonly TransactionWithLogs[] {
  const { data: logs } = logsSchema.safeParse(response);
  if (logs === undefined) throw new UnusableResponseError('the node returned malformed logs');
  return logs.flatMap((log) => {
    if (log.removed === true || log.blockNumber < fromBlock || log.blockNumber > toBlock) {
      throw new UnusableResponseError('the node returned a log of another block');
    }
    const { transactionHash: txHash, blockHash, blockNumber, address, topics, logIndex } = log;
    return isEmptyTransfer(log) ? [] : { txHash, blockHash, blockNumber, logs: [{ address, topics, logIndex }] };
  });
}

const NO_ADDRESS = addressTopic(zeroAddress);

/** A transfer of 0 between two accounts, which any account can make for any other. A mint of 0 may still be a deposit. */
const isEmptyTransfer = ({ topics, data }: { readonly topics: readonly Hex[]; readonly data: Hex }): boolean =>
  topics[0] === TRANSFER_TOPIC && /^0x0*$/.test(data) && !topics.slice(1).includes(NO_ADDRESS);
