import type { Address, PublicClient } from 'viem';
import { rejectOnAbort } from '../../async/race-abort';
import type { Chain } from '../../chains/chain';
import { readReceipt } from '../../rpc/read-receipt';
import type { PositionChange, Protocol, ProtocolEvents } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { findTransactions, type FoundTransaction, type LogRange, UnusableResponseError } from './find-transactions';
import type { PositionEntry } from './position-entry';
import { isInflow } from './position-state';
import { valueChanges } from './value-changes';
import { groupBy } from './group-by';

/** A strategy whose changes are read. */
export interface FollowedStrategy {
  readonly strategy: Strategy;
  readonly protocol: Protocol;
  /** Shares of the wallet before the range; `undefined` when unknown. */
  readonly shares: bigint | undefined;
}

export interface RangeRequest extends LogRange {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly followed: readonly FollowedStrategy[];
  readonly signal: AbortSignal;
}

export interface RangeEntries {
  /** Last block that was read: before the end of the range when it has too many transactions. */
  readonly toBlock: bigint;
  /** In the order of the strategies. */
  readonly entries: readonly (readonly PositionEntry[])[];
}

/** Transactions that are read at once. One block is always read whole. */
const MAX_TRANSACTIONS = 200;
/** Receipts and blocks requested at the same time. */
const MAX_CONCURRENT = 20;

/**
 * The changes of a wallet's deposits in a range of blocks. The logs of both directions find the transactions, their receipts
 * state what happened.
 *
 * @throws UnusableResponseError when the blocks change meanwhile; the error of the node or the transport
 */
export async function readRange(client: PublicClient, request: RangeRequest): Promise<RangeEntries> {
  const { wallet, followed, signal } = request;
  const filters = followed.flatMap(({ strategy, protocol }) => protocol.events.filters(strategy, wallet));
  const found = await findTransactions(client, filters, request);
  const { transactions, toBlock } = limit(found, request.toBlock);
  const receipts = await inGroups(transactions, (transaction) => readWhole(client, transaction, signal));
  const blocks = await readBlocks(client, transactions, signal);
  const entries: (readonly PositionEntry[])[] = [];
  for (const { strategy, protocol, shares } of followed) {
    const changes = receipts.flatMap((logs) => protocol.events.changes(strategy, wallet, logs));
    entries.push(await entriesOf(client, request, { strategy, protocol, shares, changes, blocks }));
  }
  return { toBlock, entries };
}

type ReceiptLogs = Parameters<ProtocolEvents['changes']>[2];

async function readWhole(
  client: PublicClient,
  { txHash, blockHash }: FoundTransaction,
  signal: AbortSignal,
): Promise<ReceiptLogs> {
  const receipt = await rejectOnAbort(readReceipt(client, txHash), signal);
  if (receipt?.blockHash.toLowerCase() !== blockHash) {
    throw new UnusableResponseError('the node has no receipt of the transaction in its block');
  }
  return receipt.logs;
}

/** Leaves out whole blocks at the end. */
function limit(
  found: readonly FoundTransaction[],
  toBlock: bigint,
): { readonly transactions: readonly FoundTransaction[]; readonly toBlock: bigint } {
  const [first, next] = [found[0], found[MAX_TRANSACTIONS]];
  if (first === undefined || next === undefined) return { transactions: found, toBlock };
  const end = next.blockNumber > first.blockNumber ? next.blockNumber - 1n : first.blockNumber;
  return { transactions: found.filter(({ blockNumber }) => blockNumber <= end), toBlock: end };
}

type BlockTimes = ReadonlyMap<string, bigint>;

/** Times of the blocks in Unix seconds, by hash: a block that was replaced is not found. */
async function readBlocks(
  client: PublicClient,
  transactions: readonly FoundTransaction[],
  signal: AbortSignal,
): Promise<BlockTimes> {
  const hashes = [...new Set(transactions.map(({ blockHash }) => blockHash))];
  const blocks = await inGroups(hashes, (blockHash) => rejectOnAbort(client.getBlock({ blockHash }), signal));
  return new Map(hashes.flatMap((hash, index) => [[hash, blocks[index]?.timestamp ?? 0n] as const]));
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    results.push(...(await Promise.all(items.slice(start, start + MAX_CONCURRENT).map(run))));
  }
  return results;
}

interface StrategyChanges extends FollowedStrategy {
  readonly changes: readonly PositionChange[];
  readonly blocks: BlockTimes;
}

async function entriesOf(
  client: PublicClient,
  { wallet, signal }: RangeRequest,
  { strategy, protocol, shares, changes, blocks }: StrategyChanges,
): Promise<readonly PositionEntry[]> {
  const entries: PositionEntry[] = [];
  let sharesBefore = shares;
  for (const [number, ofBlock] of groupBy(changes, ({ blockNumber }) => blockNumber)) {
    const timestamp = blocks.get(ofBlock[0]?.blockHash.toLowerCase() ?? '') ?? 0n;
    const block = { number, timestamp };
    const valued = await valueChanges(client, {
      strategy,
      protocol,
      wallet,
      changes: ofBlock,
      block,
      sharesBefore,
      signal,
    });
    sharesBefore = sharesAfter(sharesBefore, valued);
    const at = new Date(Number.parseInt(timestamp.toString(), 10) * 1000);
    entries.push(...valued.map((change) => ({ ...change, at })));
  }
  return entries;
}

const sharesAfter = (before: bigint | undefined, changes: readonly PositionChange[]): bigint | undefined =>
  changes.reduce<bigint | undefined>((sum, { kind, shares }) => {
    if (sum === undefined || shares === undefined) return undefined;
    return isInflow(kind) ? sum + shares : sum - shares;
  }, before);
