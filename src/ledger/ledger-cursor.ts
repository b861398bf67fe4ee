import { requireLease } from '../actions/tracker/chain-lease';
import type { Database, Transaction } from '../persistence/database';
import type { Prisma } from '../persistence/client/client';
import { type LedgerDeps, TRANSFERS } from './ledger-deps';
import type { BlockHeader } from './read-headers';

/** A block by number and hash. */
export interface BlockPlace {
  readonly number: bigint;
  readonly hash: string;
}

/** How far the ledger of a chain has been read. */
export interface LedgerCursor extends BlockPlace {
  readonly blockTime: Date;
  readonly finalNumber: bigint;
  readonly headNumber: bigint;
  /** `stopped`: an operator has to request a replay. `unsupported`: the node has no logs. */
  readonly state: string;
  readonly reason: string | null;
  readonly replayFrom: bigint | null;
  /** Set while blocks are read again: movements up to this block may be missing. */
  readonly replayUntil: bigint | null;
}

/** What a pass expects of the cursor when it changes it. */
type Expected = Pick<BlockPlace, 'number' | 'hash'>;

type CursorDeps = Pick<LedgerDeps, 'database' | 'replicaId' | 'leaseSeconds'>;

/** The cursor moved during a pass, by the request of an operator: the pass is rolled back. */
export class CursorMovedError extends Error {
  override readonly name = 'CursorMovedError';
}

/** Hashes kept of each chain at least, and all those of blocks that are not final, up to the second number. */
const [MIN_KEPT_BLOCKS, MAX_KEPT_BLOCKS] = [256n, 10_000n];

const keyOf = (chainId: number) => ({ chainId_stream: { chainId, stream: TRANSFERS } });

/** The cursor of a chain; `undefined` before its first pass. */
export const readLedgerCursor = async (database: Database, chainId: number): Promise<LedgerCursor | undefined> =>
  (await database.indexCursor.findUnique({ where: keyOf(chainId) })) ?? undefined;

/** Runs statements that only the replica with the lease of the chain may run. Renews the lease. */
export const fenced = <Result>(
  deps: CursorDeps,
  chainId: number,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    return work(tx);
  });

/** Lets one process at a time decide which wallets are watched on which chains. */
export const lockWatches = (tx: Transaction): Promise<unknown> =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('WatchedWallet'))`;

/**
 * Starts the ledger of a chain after a block. What was before is not recorded: earlier movements of a wallet that no customer
 * watches any more would have a hole.
 */
export async function startCursor(deps: CursorDeps, chainId: number, block: BlockHeader): Promise<void> {
  const { number, hash, time: blockTime } = block;
  await fenced(deps, chainId, async (tx) => {
    await lockWatches(tx);
    const state = { state: 'reading', reason: null, replayFrom: null, replayUntil: null, checkedAt: new Date() };
    const coin = { coinFromBlock: number + 1n, coinHash: hash };
    const place = { number, hash, ...coin, blockTime, finalNumber: number, headNumber: number, ...state };
    await tx.indexCursor.upsert({
      where: keyOf(chainId),
      create: { chainId, stream: TRANSFERS, ...place },
      update: place,
    });
    await replaceKeptBlocks(tx, chainId, block);
    await tx.walletBackfill.deleteMany({ where: { chainId } });
    await tx.$executeRaw`
      INSERT INTO "WalletCoverage" ("customerId", "walletId", "chainId")
      SELECT "customerId", "walletId", ${chainId} FROM "WalletWatch"
      ON CONFLICT DO NOTHING`;
  });
}

async function replaceKeptBlocks(tx: Transaction, chainId: number, { number, hash }: BlockPlace): Promise<void> {
  await tx.indexedBlock.deleteMany({ where: { chainId, stream: TRANSFERS } });
  await tx.indexedBlock.create({ data: { chainId, stream: TRANSFERS, number, hash } });
}

export interface CursorAdvance {
  readonly parent: BlockPlace;
  readonly headers: readonly BlockHeader[];
  readonly headNumber: bigint;
  /** Blocks up to this one are final. */
  readonly finalNumber: bigint;
}

/**
 * Moves the cursor behind these blocks. When a worker that records no coin moved it before, coin counts as recorded from these
 * blocks on.
 *
 * @throws CursorMovedError when it is not at their parent any more
 */
export async function advanceLedgerCursor(
  tx: Transaction,
  chainId: number,
  { parent, headers, headNumber, finalNumber }: CursorAdvance,
): Promise<void> {
  const [first, newest] = [headers[0], headers.at(-1)];
  if (first === undefined || newest === undefined) return;
  const moved = await tx.$executeRaw`
    UPDATE "IndexCursor"
       SET number = ${newest.number}, hash = ${newest.hash}, "blockTime" = ${newest.time},
           "coinFromBlock" = CASE WHEN "coinHash" = hash THEN "coinFromBlock" ELSE ${first.number} END, "coinHash" = ${newest.hash},
           state = 'reading', reason = NULL,
           "finalNumber" = greatest("finalNumber", least(${finalNumber}::bigint, ${newest.number}::bigint)),
           "replayUntil" = CASE WHEN ${newest.number} < "replayUntil" THEN "replayUntil" END,
           "headNumber" = ${headNumber}, "checkedAt" = now()
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND number = ${parent.number} AND hash = ${parent.hash}
       AND "replayFrom" IS NULL`;
  if (moved === 0) throw new CursorMovedError(`the ledger of chain ${String(chainId)} is elsewhere`);
  await tx.indexedBlock.createMany({
    data: headers.map(({ number, hash }) => ({ chainId, stream: TRANSFERS, number, hash })),
  });
  await tx.$executeRaw`
    DELETE FROM "IndexedBlock"
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS}
       AND number < least(${newest.number - MIN_KEPT_BLOCKS}::bigint,
                          greatest(${finalNumber}::bigint, ${newest.number - MAX_KEPT_BLOCKS}::bigint))`;
}

/**
 * Records that the cursor is at the head of the chain, or what the node shows as its head. Leaves a cursor that moved, or
 * that was stopped, as it is.
 */
export async function touchCursor(
  deps: CursorDeps,
  chainId: number,
  {
    cursor,
    headNumber,
    finalNumber,
  }: Pick<CursorAdvance, 'headNumber' | 'finalNumber'> & { readonly cursor: Expected },
): Promise<void> {
  await fenced(
    deps,
    chainId,
    (tx) => tx.$executeRaw`
    UPDATE "IndexCursor"
       SET "finalNumber" = greatest("finalNumber", least(${finalNumber}::bigint, number)),
           "headNumber" = ${headNumber}, "checkedAt" = now(), state = 'reading', reason = NULL
     WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND number = ${cursor.number} AND hash = ${cursor.hash}
       AND state <> 'stopped' AND "replayFrom" IS NULL`,
  );
}

/** Stops the ledger of a chain, or marks that its node cannot serve it. */
export const markCursor = (
  deps: CursorDeps,
  chainId: number,
  { state, reason }: { readonly state: 'stopped' | 'unsupported'; readonly reason: string },
): Promise<unknown> =>
  fenced(deps, chainId, (tx) => tx.indexCursor.update({ where: keyOf(chainId), data: { state, reason } }));

/** Lets a stopped ledger go on: its cursor is on the chain again. */
export const resumeCursor = (deps: CursorDeps, chainId: number): Promise<unknown> =>
  fenced(deps, chainId, (tx) =>
    tx.indexCursor.update({ where: keyOf(chainId), data: { state: 'reading', reason: null } }),
  );

/** The blocks that were recorded last, the newest first. */
export const readKeptBlocks = (
  database: Database,
  chainId: number,
  where: Prisma.IndexedBlockWhereInput,
): Promise<readonly BlockPlace[]> =>
  database.indexedBlock.findMany({
    where: { chainId, stream: TRANSFERS, ...where },
    orderBy: { number: 'desc' },
    select: { number: true, hash: true },
  });

/** Items of the ledger in quarantine. */
export const quarantinedFrom = (chainId: number, number: bigint): Prisma.QuarantineWhereInput => ({
  chainId,
  stage: 'ledger',
  blockNumber: { gte: number },
});

/**
 * After a reorganisation: moves the cursor back to the newest common block and deletes what was recorded behind it. Never
 * deletes final entries.
 *
 * @throws CursorMovedError when an entry behind the fork is final, or the cursor moved
 */
export async function rewindLedgerCursor(
  deps: CursorDeps,
  chainId: number,
  { cursor, fork }: { readonly cursor: BlockPlace; readonly fork: BlockHeader },
): Promise<void> {
  await fenced(deps, chainId, async (tx) => {
    const moved = await tx.$executeRaw`
      UPDATE "IndexCursor"
         SET number = ${fork.number}, hash = ${fork.hash}, "blockTime" = ${fork.time},
             "coinHash" = CASE WHEN "coinHash" = hash THEN ${fork.hash} END
       WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND number = ${cursor.number} AND hash = ${cursor.hash}
         AND "finalNumber" <= ${fork.number} AND "replayFrom" IS NULL`;
    if (moved === 0) throw new CursorMovedError(`the ledger of chain ${String(chainId)} is elsewhere`);
    const behind = { chainId, stream: TRANSFERS, number: { gt: fork.number } };
    await tx.indexedBlock.deleteMany({ where: behind });
    await tx.ledgerEntry.deleteMany({ where: { chainId, blockNumber: { gt: fork.number } } });
    await tx.quarantine.deleteMany({ where: quarantinedFrom(chainId, fork.number + 1n) });
  });
}

/** Withdraws a request to read blocks again. A ledger that was stopped stays so. */
export async function refuseReplay(
  deps: CursorDeps,
  chainId: number,
  { requested, reason }: { readonly requested: bigint; readonly reason: string },
): Promise<void> {
  await fenced(
    deps,
    chainId,
    (tx) => tx.$executeRaw`
      UPDATE "IndexCursor" SET "replayFrom" = NULL, reason = ${reason}
       WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND "replayFrom" = ${requested}`,
  );
}

/**
 * Moves the cursor back to `parent`, so that the blocks behind it are read again. Their entries do not count until then, and
 * are replaced block by block. The wallets of today are covered from there on.
 */
export async function replayAfter(
  deps: CursorDeps,
  chainId: number,
  { parent, requested }: { readonly parent: BlockHeader; readonly requested: bigint },
): Promise<void> {
  const { number, hash, time } = parent;
  await fenced(deps, chainId, async (tx) => {
    const moved = await tx.$executeRaw`
      UPDATE "IndexCursor"
         SET number = ${number}, hash = ${hash}, "coinHash" = ${hash},
             "coinFromBlock" = CASE WHEN "coinHash" = hash THEN least("coinFromBlock", ${number + 1n}::bigint) ELSE ${number + 1n} END,
             "blockTime" = ${time}, state = 'reading', reason = NULL, "replayFrom" = NULL,
             "replayUntil" = greatest("replayUntil", "finalNumber"), "finalNumber" = least("finalNumber", ${number}::bigint)
       WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} AND "replayFrom" = ${requested}`;
    if (moved === 0) throw new CursorMovedError(`another replay of chain ${String(chainId)} was requested`);
    await replaceKeptBlocks(tx, chainId, parent);
    await tx.quarantine.deleteMany({ where: quarantinedFrom(chainId, number + 1n) });
    await tx.$executeRaw`
      UPDATE "WalletCoverage"
         SET "fromBlock" = least("fromBlock", ${number + 1n}::bigint),
             "coinFromBlock" = least("coinFromBlock", ${number + 1n}::bigint),
             "visibleFrom" = least("visibleFrom", ${number + 1n}::bigint),
             earliest = CASE WHEN earliest > ${number + 1n} THEN ${number + 1n} ELSE earliest END
       WHERE "chainId" = ${chainId}
         AND ("fromBlock" > ${number + 1n} OR "coinFromBlock" > ${number + 1n} OR earliest > ${number + 1n})`;
  });
}
