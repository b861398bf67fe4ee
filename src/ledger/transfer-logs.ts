import type { Hex } from 'viem';
import { z } from 'zod';
import {
  type AccountOperation,
  type BatchStart,
  batchStartOf,
  operationOf,
  SAFE_TOPICS,
  USER_OPERATION_TOPIC,
} from './operation-logs';
import { TRANSFER_TOPIC } from '../tokens/transfer-topic';

/** First topics of the logs that are read. */
export const LOG_TOPICS: readonly Hex[] = [TRANSFER_TOPIC, ...SAFE_TOPICS, USER_OPERATION_TOPIC];

/** Tokens that moved from one address to another. */
export interface TokenTransfer {
  readonly blockHash: string;
  readonly txHash: string;
  readonly logIndex: number;
  /** Addresses in lower case. */
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** In the smallest unit of the token; never 0. */
  readonly amount: bigint;
}

/** The logs that a node returned are malformed, removed, or of another block than the requested one. */
export class UnusableLogsError extends Error {
  override readonly name = 'UnusableLogsError';
}

const HASH = /^0x[0-9a-f]{64}$/i;
const quantity = /^0x[0-9a-f]{1,12}$/i;
const logSchema = z.object({
  address: z.string().regex(/^0x[0-9a-f]{40}$/i),
  topics: z.array(z.string().regex(HASH)).max(4),
  data: z.string().regex(/^0x[0-9a-f]*$/i),
  blockHash: z.string().regex(HASH),
  transactionHash: z.string().regex(HASH),
  logIndex: z.string().regex(quantity),
  removed: z.boolean().optional(),
});
const logsSchema = z.array(z.unknown());

/** The logs that matter to the ledger. */
export interface LedgerLogs {
  readonly transfers: readonly TokenTransfer[];
  readonly operations: readonly AccountOperation[];
  readonly batchStarts: readonly BatchStart[];
}

/** What a response to `eth_getLogs` contains. */
export interface ParsedLogs extends LedgerLogs {
  /** All logs of the response, also those that move no tokens. */
  readonly count: number;
  /** Hashes of the blocks with a log of the topic `Transfer`, whatever it moves. */
  readonly blocks: ReadonlySet<string>;
}

/**
 * The movements of tokens in logs, and the operations of accounts; all other logs are left out. A transfer of an NFT has a fourth topic and is left out as
 * well, and so is a transfer of 0, which any account can make for any other.
 *
 * @throws UnusableLogsError
 */
export function parseLogs(response: unknown, blockHashes: ReadonlySet<string>): ParsedLogs {
  const logs = logsSchema.safeParse(response);
  if (!logs.success) throw new UnusableLogsError('the node returned no list of logs');
  const blocks = new Set<string>();
  const transfers: TokenTransfer[] = [];
  const operations: AccountOperation[] = [];
  const batchStarts: BatchStart[] = [];
  for (const log of logs.data) {
    const { data } = logSchema.safeParse(log);
    if (data === undefined) throw new UnusableLogsError('the node returned a malformed log');
    if (data.removed === true || !blockHashes.has(data.blockHash.toLowerCase())) {
      throw new UnusableLogsError('the node returned a log of another block');
    }
    if (data.topics[0]?.toLowerCase() === TRANSFER_TOPIC) {
      blocks.add(data.blockHash.toLowerCase());
      transfers.push(...present(transferOf(data)));
    } else {
      operations.push(...present(operationOf(data)));
      batchStarts.push(...present(batchStartOf(data)));
    }
  }
  return { count: logs.data.length, blocks, transfers, operations, batchStarts };
}

const present = <Item>(item: Item | undefined): readonly Item[] => (item === undefined ? [] : [item]);

function transferOf(log: z.infer<typeof logSchema>): TokenTransfer | undefined {
  const [, from, to] = log.topics;
  if (log.topics.length !== 3 || from === undefined || to === undefined || log.data.length < 66) return undefined;
  const amount = BigInt(log.data.slice(0, 66));
  if (amount === 0n) return undefined;
  return {
    blockHash: log.blockHash.toLowerCase(),
    txHash: log.transactionHash.toLowerCase(),
    logIndex: Number.parseInt(log.logIndex, 16),
    token: log.address.toLowerCase(),
    from: addressOf(from),
    to: addressOf(to),
    amount,
  };
}

const addressOf = (topic: string): string => `0x${topic.slice(26).toLowerCase()}`;
