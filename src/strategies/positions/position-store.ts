import type { Address } from 'viem';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';
import { groupBy } from './group-by';
import type { PositionEntry, PositionTotal } from './position-entry';

/** The wallet of a customer whose positions are stored. */
export interface PositionOwner {
  readonly customerId: CustomerId;
  /** Checksummed. */
  readonly wallet: Address;
}

/** A stored position: the sum of its entries before `nextBlock`. */
export interface StoredPosition {
  /** In lower case. */
  readonly strategyId: string;
  readonly startBlock: bigint;
  readonly nextBlock: bigint;
  /** Hash of the block before `nextBlock`; `undefined` before the first range. */
  readonly lastHash: string | undefined;
  readonly total: PositionTotal;
  /** Version of the rules that made its entries from logs. */
  readonly eventVersion: number;
  readonly isComplete: boolean;
  readonly mismatchedAt: Date | undefined;
  readonly resetAt: Date | undefined;
}

type CursorRow = Prisma.PositionCursorGetPayload<object>;

const REQUESTED_EVERY_MS = 3_600_000;

const bigintOf = (column: Prisma.Decimal): bigint => BigInt(column.toFixed());
const decimalOf = (value: bigint | undefined): Prisma.Decimal | null =>
  value === undefined ? null : new Prisma.Decimal(value.toString());

const storedOf = (row: CursorRow): StoredPosition => ({
  strategyId: row.strategyId,
  startBlock: row.startBlock,
  nextBlock: row.nextBlock,
  lastHash: row.lastHash ?? undefined,
  total: {
    state: {
      shares: bigintOf(row.shares),
      cost: bigintOf(row.cost),
      netPaidIn: bigintOf(row.netPaidIn),
      realized: bigintOf(row.realized),
    },
    entries: row.entries,
    unvalued: row.unvalued,
  },
  eventVersion: row.eventVersion,
  isComplete: row.isComplete,
  mismatchedAt: row.mismatchedAt ?? undefined,
  resetAt: row.resetAt ?? undefined,
});

/** The stored positions by strategy. Notes that they are still in use. */
export async function findPositions(
  database: Database,
  { customerId, wallet }: PositionOwner,
  strategyIds: readonly string[],
): Promise<ReadonlyMap<string, StoredPosition>> {
  const where = { customerId, wallet, strategyId: { in: [...strategyIds] } };
  const rows = await database.positionCursor.findMany({ where });
  const isUnnoted = rows.some(({ requestedAt }) => Date.now() - requestedAt.getTime() > REQUESTED_EVERY_MS);
  if (isUnnoted) await database.positionCursor.updateMany({ where, data: { requestedAt: new Date() } });
  return new Map(rows.map((row) => [row.strategyId, storedOf(row)]));
}

export interface NewPosition {
  readonly strategyId: string;
  readonly chainId: number;
  readonly startBlock: bigint;
  readonly eventVersion: number;
}

/** Unused positions that are removed besides as many as are added: after the maximum became smaller. */
const MORE_UNUSED = 20;

/** Starts to store positions. The longest unused ones of the customer give way when it has more than `maximum`. */
export async function createPositions(
  database: Database,
  { customerId, wallet }: PositionOwner,
  { positions, maximum }: { readonly positions: readonly NewPosition[]; readonly maximum: number },
): Promise<void> {
  const data = positions.map(({ strategyId, chainId, startBlock, eventVersion }) => ({
    customerId,
    wallet,
    strategyId,
    chainId: BigInt(chainId),
    startBlock,
    nextBlock: startBlock,
    eventVersion,
    nextWalkAt: new Date(),
  }));
  await database.positionCursor.createMany({ data, skipDuplicates: true });
  const unused = await database.$queryRaw<{ readonly wallet: string; readonly strategyId: string }[]>`
    SELECT wallet, "strategyId" FROM "PositionCursor" WHERE "customerId" = ${customerId}::uuid
     ORDER BY "requestedAt" DESC OFFSET ${maximum} LIMIT ${positions.length + MORE_UNUSED}`;
  for (const [address, ofWallet] of groupBy(unused, (each) => each.wallet)) {
    const owner = { customerId, wallet: address as Address };
    const strategyIds = ofWallet.map(({ strategyId }) => strategyId);
    await removeEntries(database, owner, strategyIds);
    await database.positionCursor.deleteMany({ where: { ...owner, strategyId: { in: strategyIds } } });
  }
}

export interface PositionProgress {
  readonly strategyId: string;
  /** As the position was stored before: another process that was first makes this progress obsolete. */
  readonly fromBlock: bigint;
  /** Version of the rules that made the entries: a process with a higher version makes this progress obsolete. */
  readonly eventVersion: number;
  readonly nextBlock: bigint;
  readonly lastHash: string;
  readonly entries: readonly PositionEntry[];
  /** With the entries. */
  readonly total: PositionTotal;
  readonly isComplete: boolean;
  /** True when no further entries are read. */
  readonly isFull: boolean;
}

const ROWS_OF_STATEMENT = 1000;

/** Stores final entries of some strategies and how far they were read; entries and cursor change together. */
export async function saveProgress(
  database: Database,
  owner: PositionOwner,
  progress: readonly PositionProgress[],
): Promise<void> {
  await database.$transaction(async (tx) => {
    for (const each of progress) await saveOne(tx, owner, each);
  });
}

async function saveOne(
  tx: Transaction,
  { customerId, wallet }: PositionOwner,
  { strategyId, fromBlock, eventVersion, nextBlock, lastHash, entries, total, isComplete, isFull }: PositionProgress,
): Promise<void> {
  const { shares, cost, netPaidIn, realized } = total.state;
  const { count } = await tx.positionCursor.updateMany({
    where: { customerId, wallet, strategyId, nextBlock: fromBlock, eventVersion },
    data: {
      nextBlock,
      lastHash,
      shares: shares.toString(),
      cost: cost.toString(),
      netPaidIn: netPaidIn.toString(),
      realized: realized.toString(),
      entries: total.entries,
      unvalued: total.unvalued,
      isComplete,
      failures: 0,
      nextWalkAt: isComplete || isFull ? null : new Date(),
    },
  });
  if (count === 0) return;
  const data = entries.map((entry) => ({
    customerId,
    wallet,
    strategyId,
    blockNumber: entry.blockNumber,
    logIndex: entry.logIndex,
    kind: entry.kind,
    shares: decimalOf(entry.shares),
    assets: decimalOf(entry.assets),
    sharePriceRay: decimalOf(entry.sharePriceRay),
    txHash: entry.txHash,
    blockHash: entry.blockHash,
    at: entry.at,
  }));
  for (let start = 0; start < data.length; start += ROWS_OF_STATEMENT) {
    const rows = data.slice(start, start + ROWS_OF_STATEMENT);
    await tx.positionEntry.createMany({ data: rows, skipDuplicates: true });
  }
}

/** Removes entries of positions, some in each statement. The positions themselves are removed or reset afterwards. */
async function removeEntries(
  database: Database,
  { customerId, wallet }: PositionOwner,
  strategyIds: readonly string[],
): Promise<void> {
  for (let removed = ROWS_OF_STATEMENT; removed >= ROWS_OF_STATEMENT;) {
    removed = await database.$executeRaw`
      DELETE FROM "PositionEntry" WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM "PositionEntry"
         WHERE "customerId" = ${customerId}::uuid AND wallet = ${wallet} AND "strategyId" = ANY(${[...strategyIds]})
         LIMIT ${ROWS_OF_STATEMENT}))`;
  }
}

interface ResetPositions {
  readonly strategyIds: readonly string[];
  /** Version of the rules for their next entries; unchanged when absent. */
  readonly eventVersion?: number;
}

/** Removes all entries of positions, some in each statement: their blocks are read again from the start. */
export async function resetPositions(
  database: Database,
  owner: PositionOwner,
  { strategyIds, eventVersion }: ResetPositions,
): Promise<void> {
  const where = { ...owner, strategyId: { in: [...strategyIds] } };
  await removeEntries(database, owner, strategyIds);
  await database.$transaction([
    // First: it waits for a process that is adding entries, so that the next statement sees them.
    database.$executeRaw`
      UPDATE "PositionCursor"
         SET "nextBlock" = "startBlock", "lastHash" = NULL, shares = 0, cost = 0, "netPaidIn" = 0, realized = 0,
             entries = 0, unvalued = 0, "eventVersion" = coalesce(${eventVersion ?? null}::integer, "eventVersion"),
             "isComplete" = false, "mismatchedAt" = NULL, "resetAt" = now(), "nextWalkAt" = now()
       WHERE "customerId" = ${owner.customerId}::uuid AND wallet = ${owner.wallet}
         AND "strategyId" = ANY(${[...strategyIds]})`,
    database.positionEntry.deleteMany({ where }),
  ]);
}

/** Notes since when the entries of a position contradict the chain, or that they no longer do. */
export async function noteMismatch(
  database: Database,
  owner: PositionOwner,
  { strategyId, since }: { readonly strategyId: string; readonly since: Date | undefined },
): Promise<void> {
  await database.positionCursor.updateMany({
    where: { ...owner, strategyId },
    data: { mismatchedAt: since ?? null },
  });
}
