import type { Address, PublicClient } from 'viem';
import { rejectOnAbort } from '../../async/race-abort';
import type { Chain } from '../../chains/chain';
import type { PositionChange, ProtocolReader } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { readTransactionsWithLogs, type TransactionWithLogs, type LogRange } from './read-transactions-with-logs';
import type { PositionEntry } from './position-entry';
import { isInflow } from './position-state';
import { readLogs, unreadChanges } from './read-logs';
import { valueChanges } from './value-changes';
import { groupBy } from './group-by';

/** A strategy whose changes are read. */
export interface FollowedStrategy {
  readonly strategy: Strategy;
  readonly protocol: ProtocolReader;
  /** Shares of the wallet before the range; `undefined` when unknown. */
  readonly shares: bigint | undefined;
}

export interface RangeRequest extends LogRange {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly followed: readonly FollowedStrategy[];
  readonly signal: AbortSignal;
}

/** The transactions of a range with transfers of the wallet. */
export interface FoundRange {
  readonly transactions: readonly TransactionWithLogs[];
  /** Before the end of the range when it has too many transactions. */
  readonly toBlock: bigint;
}

export interface RangeEntries {
  /** Last block that was read: before the end of the range when its rest has failed, took too long, or has too many logs. */
  readonly toBlock: bigint;
  /** In the order of the strategies. */
  readonly entries: readonly (readonly PositionEntry[])[];
}

/** Transactions that are read in one range. One block is always read whole. */
const MAX_TRANSACTIONS = 200;
/** Receipts and blocks requested at the same time, and transactions whose changes are complete before others are read. */
const MAX_CONCURRENT = 20;
/** Logs of the strategies' contracts after which a range ends. */
const MAX_LOGS = 5000;

/**
 * Finds the transactions of a range by the logs of both directions.
 *
 * @throws UnusableResponseError; the error of the node or the transport, as for a range that is too large
 */
export async function findRange(client: PublicClient, request: RangeRequest): Promise<FoundRange> {
  const { wallet, followed } = request;
  const filters = followed.flatMap(({ strategy, protocol }) => protocol.events.filters(strategy, wallet));
  return limit(await readTransactionsWithLogs(client, filters, request), request.toBlock);
}

/** Leaves out whole blocks at the end. */
function limit(found: readonly TransactionWithLogs[], toBlock: bigint): FoundRange {
  const [first, next] = [found[0], found[MAX_TRANSACTIONS]];
  if (first === undefined || next === undefined) return { transactions: found, toBlock };
  const end = next.blockNumber > first.blockNumber ? next.blockNumber - 1n : first.blockNumber;
  return { transactions: found.filter(({ blockNumber }) => blockNumber <= end), toBlock: end };
}

/**
 * The changes of a wallet's deposits in a range of blocks, as the logs of its transactions state them. Some blocks are read
 * after others: what was read before a failure, or before the signal aborts, is returned.
 *
 * @throws UnusableResponseError when the blocks change meanwhile; the error of the node or the transport; when nothing was read
 */
export async function readRange(
  client: PublicClient,
  request: RangeRequest,
  { transactions, toBlock }: FoundRange,
): Promise<RangeEntries> {
  const entries = request.followed.map((): PositionEntry[] => []);
  let { followed } = request;
  let [end, logs] = [request.fromBlock - 1n, 0];
  for (const group of wholeBlocks(transactions)) {
    if (logs > MAX_LOGS) return { toBlock: end, entries };
    const read = await readGroup(client, { ...request, followed }, group).catch((error: unknown) => {
      if (end < request.fromBlock) throw error;
      return undefined;
    });
    if (read === undefined) return { toBlock: end, entries };
    for (const [index, added] of read.entries.entries()) entries[index]?.push(...added);
    followed = read.followed;
    logs += read.logs;
    end = group.at(-1)?.blockNumber ?? end;
  }
  return { toBlock, entries };
}

/** Transactions in groups that end with a block. */
function wholeBlocks(transactions: readonly TransactionWithLogs[]): readonly (readonly TransactionWithLogs[])[] {
  const groups: TransactionWithLogs[][] = [];
  for (const block of groupBy(transactions, ({ blockNumber }) => blockNumber).values()) {
    const last = groups.at(-1);
    if (last === undefined || last.length + block.length > MAX_CONCURRENT) groups.push([...block]);
    else last.push(...block);
  }
  return groups;
}

interface ReadGroup {
  readonly entries: readonly (readonly PositionEntry[])[];
  /** With the shares after the group. */
  readonly followed: readonly FollowedStrategy[];
  /** Number of logs. */
  readonly logs: number;
}

async function readGroup(
  client: PublicClient,
  request: RangeRequest,
  transactions: readonly TransactionWithLogs[],
): Promise<ReadGroup> {
  const { signal } = request;
  const read = await inGroups(transactions, (transaction) => readChanges(client, request, transaction));
  const blocks = await readBlocks(client, transactions, signal);
  const results: StrategyEntries[] = [];
  for (const each of request.followed) {
    const changes = read.flatMap(({ byStrategy }) => byStrategy.get(each.strategy) ?? []);
    results.push(await entriesOf(client, request, { ...each, changes, blocks }));
  }
  return {
    entries: results.map(({ entries }) => entries),
    followed: request.followed.map((each, index) => ({ ...each, shares: results[index]?.shares })),
    logs: read.reduce((sum, { logs }) => sum + logs, 0),
  };
}

interface TransactionChanges {
  readonly byStrategy: ReadonlyMap<Strategy, readonly PositionChange[]>;
  readonly logs: number;
}

/** Only the strategies with logs of the wallet have changes, and only the logs of their contracts are kept. */
async function readChanges(
  client: PublicClient,
  { wallet, followed, signal }: RangeRequest,
  transaction: TransactionWithLogs,
): Promise<TransactionChanges> {
  const found = new Set<string>(transaction.logs.map(({ address }) => address));
  const involved = followed.filter(({ strategy }) => contractsOf(strategy).some((address) => found.has(address)));
  const contracts = new Set(involved.flatMap(({ strategy }) => contractsOf(strategy)));
  const logs = await readLogs(client, transaction, { contracts, signal });
  const byStrategy = involved.map(({ strategy, protocol }) => {
    const receipt = strategy.receipt.address;
    const changes =
      logs === undefined
        ? unreadChanges(transaction, { wallet, receipt })
        : protocol.events.changes(strategy, wallet, logs);
    return [strategy, changes] as const;
  });
  return { byStrategy: new Map(byStrategy), logs: logs?.length ?? transaction.logs.length };
}

/** Without the rewards contract: it states no deposit, and has events of all markets. */
function contractsOf({ receipt, contracts }: Strategy): readonly string[] {
  const own = Object.entries(contracts).flatMap(([name, address]) => (name === 'rewards' ? [] : [address]));
  return [receipt.address, ...own].map((address) => address.toLowerCase());
}

type BlockTimes = ReadonlyMap<string, bigint>;

/** Times of the blocks in Unix seconds, by hash: a block that was replaced is not found. */
async function readBlocks(
  client: PublicClient,
  transactions: readonly TransactionWithLogs[],
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

interface StrategyEntries {
  readonly entries: readonly PositionEntry[];
  /** Shares after the changes. */
  readonly shares: bigint | undefined;
}

async function entriesOf(
  client: PublicClient,
  { wallet, signal }: RangeRequest,
  { strategy, protocol, shares, changes, blocks }: StrategyChanges,
): Promise<StrategyEntries> {
  const entries: PositionEntry[] = [];
  let sharesBefore = shares;
  for (const [number, inBlock] of groupBy(changes, ({ blockNumber }) => blockNumber)) {
    const ofBlock = inBlock.toSorted((one, other) => one.logIndex - other.logIndex);
    const timestamp = blocks.get(ofBlock[0]?.blockHash.toLowerCase() ?? '') ?? 0n;
    const block = { number, timestamp };
    const request = { strategy, protocol, wallet, changes: ofBlock, block, sharesBefore, signal };
    const valued = ofBlock.some(isUnread) ? ofBlock : await valueChanges(client, request);
    sharesBefore = sharesAfter(sharesBefore, valued);
    const at = new Date(Number.parseInt(timestamp.toString(), 10) * 1000);
    entries.push(...valued.map((change) => ({ ...change, at })));
  }
  return { entries, shares: sharesBefore };
}

/** With an unknown change in a block, the state after the block does not determine the others. */
const isUnread = ({ shares, assets }: PositionChange): boolean => shares === undefined && assets === undefined;

const sharesAfter = (before: bigint | undefined, changes: readonly PositionChange[]): bigint | undefined =>
  changes.reduce<bigint | undefined>((sum, { kind, shares }) => {
    if (sum === undefined || shares === undefined) return undefined;
    return isInflow(kind) ? sum + shares : sum - shares;
  }, before);
