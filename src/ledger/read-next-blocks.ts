import type { PublicClient } from 'viem';
import { describeFailure } from '../errors/describe-failure';
import { minBigInt } from '../money/min-max';
import { readHead } from '../rpc/head-reader';
import { isNodeBehind, suggestedBlocks } from '../rpc/log-range-limit';
import { isRateLimited, isTooLarge, nodeErrorOf } from '../rpc/rpc-failure';
import type { BlockPlace } from './ledger-cursor';
import { type FullBlock, readFullBlocks } from './read-full-blocks';
import { areHeadersLinked } from './read-headers';
import {
  type BlockTransfers,
  CutLogsError,
  MissingLogsError,
  readByHash,
  readByReceipts,
  readRangeTransfers,
} from './read-transfers';

/** Blocks after a place in the chain. */
export interface NextBlocks {
  readonly parent: BlockPlace;
  /** The newest block that is read. */
  readonly last: bigint;
  /** Blocks up to this one are final: they are read in ranges, the others by their hashes. */
  readonly final: bigint;
  /** Ends the reading of blocks that take long. */
  readonly signal: AbortSignal;
}

/**
 * - `reorganised`: the next block is not the child of `parent`.
 * - `missing`: the node does not have the next block, or its logs, yet.
 */
export type NextBlocksResult = readonly BlockTransfers[] | 'reorganised' | 'missing';

/** Reads the blocks of one chain in order. Remembers how large ranges may be, and which blocks failed. */
export interface TransferReader {
  /** @throws when the node does not respond, or not to this request: the next call requests less, or in another way */
  read(next: NextBlocks): Promise<NextBlocksResult>;
}

/** Blocks of a range: at first and at most. */
const [FIRST_RANGE, MAX_RANGE] = [25, 500];
/** Growth of the range after each success: until the first failure, and then. */
const [FIRST_GROWTH, GROWTH] = [2, 1.05];
/** Ranges of the same size after a failure: the next larger one would fail again. */
const STEADY_RANGES = 20;
/** A range does not grow while responses have more transfers: they have a bound of their own. */
const MAX_TRANSFERS = 5000;
/** Blocks that are requested by hash at the same time: while they are small, and otherwise. */
const [WIDE, NARROW] = [10, 2];
/** Attempts to read the logs of a block at once before the receipts are read one by one. */
const MAX_ATTEMPTS = 3;
/** Blocks whose failures are remembered. */
const MAX_REMEMBERED = 100;

interface Memory {
  /** Blocks of the next range. */
  range: number;
  /** Growth of the range after a success, as a factor. */
  growth: number;
  /** Ranges to read after a failure before they may grow again. */
  steadyFor: number;
  /** Blocks that are requested by hash at the same time. */
  width: number;
  /** Consecutive ranges whose logs the node did not have. */
  missing: number;
  /** Failed attempts of blocks, by hash. */
  readonly attempts: Map<string, number>;
}

export function createTransferReader(client: PublicClient): TransferReader {
  const memory: Memory = {
    range: FIRST_RANGE,
    growth: FIRST_GROWTH,
    steadyFor: 0,
    width: NARROW,
    missing: 0,
    attempts: new Map(),
  };
  return {
    async read({ parent, last, final, signal }) {
      const isFinal = parent.number < final;
      const size = isFinal ? memory.range : memory.width;
      const end = minBigInt(last, isFinal ? final : last, parent.number + BigInt(size));
      const headers = await readNextFullBlocks(client, memory, { first: parent.number + 1n, last: end });
      if (headers.length === 0) return 'missing';
      if (!areHeadersLinked(parent, headers)) return 'reorganised';
      const isRange = isFinal && headers.length > 1;
      const blocks = await (isRange
        ? readFinal(client, memory, headers)
        : readNewest(client, memory, { headers, signal }));
      if (isFinal && headers.length >= size && isSmall(blocks)) grow(memory);
      return blocks;
    },
  };
}

/** The next blocks without their logs. After a failure, or fewer blocks than requested, the next request is for fewer. */
async function readNextFullBlocks(
  client: PublicClient,
  memory: Memory,
  range: { readonly first: bigint; readonly last: bigint },
): Promise<readonly FullBlock[]> {
  const requested = Number.parseInt((range.last - range.first + 1n).toString(), 10);
  try {
    const headers = await readFullBlocks(client, range);
    if (headers.length > 0 && headers.length < requested) shrink(memory, headers.length);
    return headers;
  } catch (error) {
    shrink(memory, Math.floor(requested / 2));
    throw error;
  }
}

/** Smaller requests from now on: whatever made the last one fail may depend on its size. */
function shrink(memory: Memory, size: number): void {
  memory.steadyFor = STEADY_RANGES;
  memory.growth = GROWTH;
  memory.range = Math.max(1, Math.min(memory.range, size));
  memory.width = Math.min(memory.width, Math.max(1, size));
}

function grow(memory: Memory): void {
  if (memory.steadyFor > 0) memory.steadyFor -= 1;
  else memory.range = Math.min(MAX_RANGE, Math.ceil(memory.range * memory.growth));
}

const isSmall = (blocks: NextBlocksResult): boolean =>
  typeof blocks !== 'string' &&
  blocks.length > 0 &&
  blocks.reduce((sum, { transfers }) => sum + transfers.length, 0) <= MAX_TRANSFERS;

async function readFinal(
  client: PublicClient,
  memory: Memory,
  headers: readonly FullBlock[],
): Promise<NextBlocksResult> {
  const requested = headers.length;
  try {
    const blocks = await readRangeTransfers(client, headers);
    memory.missing = 0;
    return blocks;
  } catch (error) {
    if (isNodeBehind(error)) {
      memory.missing += 1;
      // A node may have the headers of old blocks but not their logs: single blocks are read from their receipts.
      if (memory.missing >= MAX_ATTEMPTS) shrink(memory, 1);
      return 'missing';
    }
    shrink(memory, suggestedBlocks(error, requested) ?? Math.floor(requested / 2));
    if (isRateLimited(error)) throw error;
    if (isTooLarge(error) || error instanceof CutLogsError) return [];
    throw error;
  }
}

/** The blocks up to the first that has to be read again later. */
async function readNewest(
  client: PublicClient,
  memory: Memory,
  { headers, signal }: { readonly headers: readonly FullBlock[]; readonly signal: AbortSignal },
): Promise<NextBlocksResult> {
  const results = await Promise.allSettled(headers.map((header) => readByHash(client, header)));
  const blocks: BlockTransfers[] = [];
  for (const [index, header] of headers.entries()) {
    const result = results[index];
    if (result?.status === 'fulfilled') {
      memory.attempts.delete(header.hash);
      blocks.push({ header, ...result.value });
      continue;
    }
    const reason: unknown = result?.reason;
    const inParts = await readAfterFailure(client, memory, { header, error: reason, signal });
    if (inParts !== undefined) blocks.push(inParts);
    else if (blocks.length === 0) return requireWaiting(reason);
    // The blocks behind it may be large as well: they are read again after those before it were recorded.
    break;
  }
  memory.width = blocks.length === headers.length && isSmall(blocks) ? WIDE : NARROW;
  return blocks;
}

function requireWaiting(error: unknown): 'missing' {
  if (error instanceof MissingLogsError || isNodeBehind(error)) return 'missing';
  throw error instanceof Error ? error : new MissingLogsError(describeFailure(error).message);
}

interface FailedBlock {
  readonly header: FullBlock;
  readonly error: unknown;
  readonly signal: AbortSignal;
}

/** The block from its receipts, once it is certain that its logs cannot be read at once; `undefined` before. */
async function readAfterFailure(
  client: PublicClient,
  memory: Memory,
  { header, error, signal }: FailedBlock,
): Promise<BlockTransfers | undefined> {
  if (isRateLimited(error) || isUnsupported(error)) throw error;
  const attempts = (memory.attempts.get(header.hash) ?? 0) + 1;
  if (memory.attempts.size >= MAX_REMEMBERED) memory.attempts.clear();
  memory.attempts.set(header.hash, attempts);
  if (attempts < MAX_ATTEMPTS && !isTooLarge(error) && !(error instanceof CutLogsError)) return undefined;
  const block = await readByReceipts(client, header, signal);
  if (signal.aborted) return undefined;
  // A node that does not respond at all says nothing about the block.
  if (block.failure !== undefined) await readHead(client);
  memory.attempts.delete(header.hash);
  return block;
}

/** Codes of nodes for unknown or disabled methods. */
const UNSUPPORTED_CODES: ReadonlySet<number> = new Set([-32601, -32004]);

/** True when the node does not serve logs. */
export const isUnsupported = (error: unknown): boolean => UNSUPPORTED_CODES.has(nodeErrorOf(error)?.code ?? 0);
