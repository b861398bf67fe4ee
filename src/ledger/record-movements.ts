import { Prisma } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';
import { coinAsToken } from './coin-transfers';
import type { SearchableBlock } from './find-operation';
import type { AccountOperation } from './operation-logs';
import { sidesOf } from './read-coin-results';
import type { BlockTransfers } from './read-transfers';
import type { TokenTransfer } from './transfer-logs';

/**
 * - `transferIn`: the wallet received tokens.
 * - `transferOut`: the wallet sent tokens.
 */
export type MovementKind = 'transferIn' | 'transferOut';

export interface Movement {
  readonly block: BlockTransfers['header'];
  readonly transfer: TokenTransfer;
  readonly walletId: bigint;
  readonly kind: MovementKind;
  /** The operation of the wallet that made the transfer. */
  readonly operation: AccountOperation | undefined;
}

/**
 * Replaces the entries of consecutive blocks by the movements of the wallets that are watched now. Wallets that were not
 * covered yet are covered from the first of these blocks on, or from the next one if they were watched after its entries were
 * recorded; `backfillBlocks` before it are shown at most. Returns the number of entries.
 */
export async function recordMovements(
  tx: Transaction,
  chainId: number,
  {
    blocks,
    backfillBlocks,
    staged,
  }: {
    readonly blocks: readonly SearchableBlock[];
    readonly backfillBlocks: number;
    readonly staged?: StagedEntries | undefined;
  },
): Promise<number> {
  const [first, last] = [blocks[0]?.header.number, blocks.at(-1)?.header.number];
  if (first === undefined || last === undefined) return 0;
  const without =
    staged === undefined ? Prisma.empty : Prisma.sql`AND "walletId" NOT IN (${partiesExcept(blocks, staged)})`;
  // Before the wallets are read: those that are covered from here on are among them.
  await tx.$executeRaw`
    UPDATE "WalletCoverage"
       SET "fromBlock" = ${first}, "visibleFrom" = coalesce("visibleFrom", ${first}), "coinFromBlock" = ${first},
           earliest = coalesce(earliest, CASE WHEN ${backfillBlocks}::bigint > 0
                                              THEN greatest(0, coalesce("visibleFrom", ${first}) - ${backfillBlocks}::bigint) END)
     WHERE "chainId" = ${chainId} AND "fromBlock" IS NULL ${without}`;
  return staged === undefined ? replaceEntries(tx, chainId, blocks) : keepStaged(tx, chainId, { blocks, staged });
}

/** Entries of a block that were recorded before it: more than one transaction records. */
export interface StagedEntries {
  /** The wallets that were watched then. */
  readonly wallets: ReadonlySet<bigint>;
  readonly movements: readonly Movement[];
}

/**
 * The wallets of the blocks that were not watched when the entries were recorded. Recording these again for each of them would let a
 * customer delay the chain by watching one wallet after another.
 */
const partiesExcept = (blocks: readonly BlockTransfers[], { wallets }: StagedEntries): Prisma.Sql => Prisma.sql`
  SELECT id FROM "WatchedWallet" WHERE address = ANY (${partiesOf(blocks)}::text[])
  EXCEPT SELECT unnest(${[...wallets]}::bigint[])`;

/** @throws UnconfirmedCoinError when entries of a wallet that is still watched were deleted meanwhile */
async function keepStaged(
  tx: Transaction,
  chainId: number,
  { blocks, staged }: { readonly blocks: readonly SearchableBlock[]; readonly staged: StagedEntries },
): Promise<number> {
  const watched = new Set((await watchedAmong(tx, blocks)).values());
  const movements = staged.movements.filter(({ walletId }) => watched.has(walletId));
  const numbers = blocks.map(({ header }) => header.number);
  const count = await tx.ledgerEntry.count({ where: { chainId, blockNumber: { in: numbers } } });
  if (count !== countDistinct(movements)) throw new UnconfirmedCoinError('entries were deleted meanwhile');
  await countEntries(tx, movements);
  return movements.length;
}

const countDistinct = (movements: readonly Movement[]): number =>
  new Set(movements.map(({ transfer: { txHash, logIndex }, kind }) => `${txHash} ${String(logIndex)} ${kind}`)).size;

/** Replaces the entries of consecutive blocks, without a change of the coverage. Returns the number of entries. */
async function replaceEntries(tx: Transaction, chainId: number, blocks: readonly SearchableBlock[]): Promise<number> {
  // Locked before their entries are deleted, as `forgetWallets` does: a wallet that is forgotten gets no entries.
  const wallets = await watchedAmong(tx, blocks);
  const movements = await replacePositions(tx, chainId, { blocks, wallets, ...ALL_POSITIONS });
  await countEntries(tx, movements);
  return movements.length;
}

/** Positions in a block, both included. */
export interface Positions {
  readonly from: number;
  readonly to: number;
}

export const ALL_POSITIONS: Positions = { from: -(2 ** 31), to: 2 ** 31 - 1 };

/** Replaces the entries at some positions of consecutive blocks. `blocks` have no transfers at others. */
export async function replacePositions(
  tx: Transaction,
  chainId: number,
  {
    blocks,
    wallets,
    from,
    to,
  }: Positions & { readonly blocks: readonly SearchableBlock[]; readonly wallets: ReadonlyMap<string, bigint> },
): Promise<readonly Movement[]> {
  const [first, last] = [blocks[0]?.header.number, blocks.at(-1)?.header.number];
  await tx.$executeRaw`
    DELETE FROM "LedgerEntry" WHERE "chainId" = ${chainId} AND "blockNumber" BETWEEN ${first} AND ${last}
       AND "logIndex" BETWEEN ${from} AND ${to}`;
  const movements = movementsOf(blocks, wallets);
  await insertAll(tx, chainId, movements);
  return movements;
}

export async function insertAll(tx: Transaction, chainId: number, movements: readonly Movement[]): Promise<void> {
  for (let start = 0; start < movements.length; start += MAX_ROWS) {
    await insertEntries(tx, chainId, movements.slice(start, start + MAX_ROWS));
  }
}

/** A wallet in a range of blocks. */
export interface WalletRange {
  readonly walletId: bigint;
  /** In lower case. */
  readonly address: string;
  readonly first: bigint;
  readonly last: bigint;
  readonly blocks: readonly SearchableBlock[];
}

/**
 * Replaces the entries of one wallet in a range, except those of coin. Operations that are recorded of the same blocks stay: they
 * were found among all events and calldata of the block, not those of one wallet. Returns the number of entries.
 */
export async function replaceWalletEntries(
  tx: Transaction,
  chainId: number,
  { walletId, address, first, last, blocks }: WalletRange,
): Promise<number> {
  const hashes = blocks.map(({ header }) => digitsOf(header.hash));
  await tx.$executeRaw`
    DELETE FROM "LedgerEntry"
     WHERE "chainId" = ${chainId} AND "walletId" = ${walletId} AND "blockNumber" BETWEEN ${first} AND ${last}
       AND "logIndex" >= 0
       AND "blockHash" NOT IN (SELECT decode(hash, 'hex') FROM unnest(${hashes}::text[]) AS read (hash))`;
  const movements = movementsOf(blocks, new Map([[address, walletId]]));
  await insertAll(tx, chainId, movements);
  return movements.length;
}

/** Entries of a wallet on one day, above which it is suspended: an exchange, a pool or the target of spam. */
export const MAX_ENTRIES_PER_DAY = 20_000;

/** Counts the entries of each wallet. One with too many is suspended: later blocks are recorded without it. */
export async function countEntries(tx: Transaction, movements: readonly Movement[]): Promise<void> {
  const counts = new Map<bigint, number>();
  for (const { walletId } of movements) counts.set(walletId, (counts.get(walletId) ?? 0) + 1);
  if (counts.size === 0) return;
  await tx.$executeRaw`
    UPDATE "WatchedWallet" AS wallet
       SET "countedOn" = counted.day, "entriesOfDay" = counted.total,
           "suspendedAt" = CASE WHEN counted.total > ${MAX_ENTRIES_PER_DAY} THEN now() END
      FROM (SELECT id, today.day, added.count + CASE WHEN known."countedOn" = today.day THEN known."entriesOfDay" ELSE 0 END AS total
              FROM unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::int[]) AS added (wallet, count)
              JOIN "WatchedWallet" AS known ON known.id = added.wallet
             CROSS JOIN (SELECT (now() AT TIME ZONE 'UTC')::date AS day) AS today) AS counted
     WHERE wallet.id = counted.id`;
}

/** Rows of one statement. */
const MAX_ROWS = 2000;

/** The senders and receivers, each once. */
const partiesOf = (blocks: readonly BlockTransfers[]): string[] => [
  ...new Set(
    blocks.flatMap(({ transfers, header }) => [
      ...transfers.flatMap(({ from, to }) => [from, to]),
      ...header.coins.flatMap(sidesOf),
    ]),
  ),
];

/** Locks the watched wallets among the senders and receivers, and returns their ids by address. */
export async function watchedAmong(
  tx: Transaction,
  blocks: readonly BlockTransfers[],
): Promise<ReadonlyMap<string, bigint>> {
  const addresses = partiesOf(blocks);
  if (addresses.length === 0) return new Map();
  const rows = await tx.$queryRaw<{ id: bigint; address: string }[]>`
    SELECT id, address FROM "WatchedWallet" WHERE address = ANY (${addresses}::text[]) AND "suspendedAt" IS NULL
     ORDER BY address FOR NO KEY UPDATE`;
  return new Map(rows.map(({ id, address }) => [address, id]));
}

export const movementsOf = (
  blocks: readonly SearchableBlock[],
  wallets: ReadonlyMap<string, bigint>,
): readonly Movement[] =>
  blocks.flatMap((block) =>
    [...block.transfers, ...coinTransfersOf(block, wallets)].flatMap((transfer) => [
      ...sideOf({ block, transfer, wallets }, 'transferOut'),
      ...sideOf({ block, transfer, wallets }, 'transferIn'),
    ]),
  );

interface MatchedTransfer {
  readonly block: SearchableBlock;
  readonly transfer: TokenTransfer;
  readonly wallets: ReadonlyMap<string, bigint>;
}

function sideOf({ block, transfer, wallets }: MatchedTransfer, kind: MovementKind): readonly Movement[] {
  const account = kind === 'transferOut' ? transfer.from : transfer.to;
  const walletId = wallets.get(account);
  if (walletId === undefined) return [];
  const { txHash, logIndex } = transfer;
  const operation = block.findOperation({ txHash, logIndex, account, isReceived: kind === 'transferIn' });
  return [{ block: block.header, transfer, walletId, kind, operation }];
}

/**
 * A wallet was watched after the receipts of a block were read, or some of its entries were deleted after they were recorded: it
 * has to be done again.
 */
export class UnconfirmedCoinError extends Error {
  override readonly name = 'UnconfirmedCoinError';
}

/** The coin that moved from or to watched wallets. @throws UnconfirmedCoinError */
const coinTransfersOf = (
  { header, coinResults }: BlockTransfers,
  wallets: ReadonlyMap<string, bigint>,
): readonly TokenTransfer[] =>
  header.coins.flatMap((coin) => {
    if (!sidesOf(coin).some((side) => wallets.has(side))) return [];
    const result = coinResults?.get(coin.txHash);
    if (result === undefined) throw new UnconfirmedCoinError('a wallet was watched meanwhile');
    return coinAsToken(coin, { blockHash: header.hash, result }) ?? [];
  });

const digitsOf = (hex: string): string => hex.slice(2);

/** What stays of an entry of the same block: the recorded operation. */
const keptOr = (column: string): Prisma.Sql => {
  const name = Prisma.raw(`"${column}"`);
  return Prisma.sql`CASE WHEN known."blockHash" = excluded."blockHash" AND known.operation IS NOT NULL THEN known.${name} ELSE excluded.${name} END`;
};

/** An entry of the same log in a block that is read again later is replaced: a log is in one block of the chain. */
async function insertEntries(tx: Transaction, chainId: number, movements: readonly Movement[]): Promise<void> {
  const columns = <Value>(value: (movement: Movement) => Value): Value[] => movements.map(value);
  await tx.$executeRaw`
    INSERT INTO "LedgerEntry" AS known ("chainId", "txHash", "logIndex", part, "blockNumber", "blockHash", "blockTime", "walletId",
                               token, kind, amount, counterparty, operation, "operationHash", "operationContract")
    SELECT DISTINCT ON (entry."txHash", entry."logIndex", entry.kind)
           ${chainId}, decode(entry."txHash", 'hex'), entry."logIndex",
           CASE entry.kind WHEN 'transferOut' THEN 0 ELSE 1 END, entry."blockNumber", decode(entry."blockHash", 'hex'),
           to_timestamp(entry.seconds), entry."walletId", entry.token, entry.kind, entry.amount::numeric, entry.counterparty,
           nullif(entry.operation, ''), decode(nullif(entry."operationHash", ''), 'hex'), nullif(entry."operationContract", '')
      FROM unnest(${columns(({ transfer }) => digitsOf(transfer.txHash))}::text[],
                  ${columns(({ transfer }) => transfer.logIndex)}::int[],
                  ${columns(({ block }) => block.number)}::bigint[],
                  ${columns(({ block }) => digitsOf(block.hash))}::text[],
                  ${columns(({ block }) => block.time.getTime() / 1000)}::bigint[],
                  ${columns(({ walletId }) => walletId)}::bigint[],
                  ${columns(({ transfer }) => transfer.token)}::text[],
                  ${columns(({ kind }) => kind)}::text[],
                  ${columns(({ transfer }) => transfer.amount.toString())}::text[],
                  ${columns(({ kind, transfer }) => (kind === 'transferOut' ? transfer.to : transfer.from))}::text[],
                  ${columns(({ operation }) => operation?.kind ?? '')}::text[],
                  ${columns(({ operation }) => digitsOf(operation?.hash ?? '0x'))}::text[],
                  ${columns(({ operation }) => operation?.contract ?? '')}::text[])
           AS entry ("txHash", "logIndex", "blockNumber", "blockHash", seconds, "walletId", token, kind, amount, counterparty,
                     operation, "operationHash", "operationContract")
    ON CONFLICT ("chainId", "txHash", "logIndex", part) DO UPDATE
       SET "blockNumber" = excluded."blockNumber", "blockHash" = excluded."blockHash", "blockTime" = excluded."blockTime",
           "walletId" = excluded."walletId", token = excluded.token, kind = excluded.kind, amount = excluded.amount,
           counterparty = excluded.counterparty, operation = ${keptOr('operation')},
           "operationHash" = ${keptOr('operationHash')}, "operationContract" = ${keptOr('operationContract')}`;
}
