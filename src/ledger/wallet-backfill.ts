import { describeFailure } from '../errors/describe-failure';
import { Prisma } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';
import { fenced, CursorMovedError } from './ledger-cursor';
import { type LedgerDeps, TRANSFERS } from './ledger-deps';
import type { SearchableBlock } from './find-operation';
import { replaceWalletEntries } from './record-movements';
import { shareTurns } from './share-turns';

/** Size of the windows of one wallet: one with many transfers leaves those of others as they are. */
export interface WindowPace {
  /** Blocks of the next window; null for the first size. */
  readonly windowBlocks: number | null;
  /** Windows to read before they may grow again. */
  readonly steadyFor: number;
}

/** The earlier movements of a wallet on a chain, as far as they are read. */
export interface WalletBackfill extends WindowPace {
  readonly walletId: bigint;
  /** In lower case. */
  readonly address: string;
  /** Movements are recorded from this block on. */
  readonly lowest: bigint;
  /** The earliest block that is to be read. */
  readonly target: bigint;
  /** The newest block of those below `lowest` that are recorded as well; null for none. They are not read again. */
  readonly recordedTo: bigint | null;
}

/**
 * - `walking`: earlier blocks are read.
 * - `proven`: the movements add up to the balances of the wallet.
 * - `unproven`: they do not, for at least one token.
 */
export type BackfillState = 'walking' | 'proven' | 'unproven';

/** Wallets whose reading begins in one run, and coverages that it extends. */
const [MAX_NEW, MAX_JOINED] = [500, 5000];
/** Blocks that one run adds for a customer, of those that were read before. */
const MAX_SHOWN_BLOCKS = 10_000;
/** Movements after which a wallet is not read further back. */
export const MAX_BACKFILLED_ENTRIES = 20_000;
/** Delay after a failure: it doubles up to the maximum. */
const [FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS, MAX_DOUBLINGS] = [15, 3600, 10];

type BackfillDeps = Pick<LedgerDeps, 'database' | 'replicaId' | 'leaseSeconds'>;

/** Where a search for new wallets goes on: below this id. Those that were watched last are searched first. */
export interface SearchPlace {
  readonly below: bigint;
  /** Coverages that one run searches, about. */
  readonly count: number;
}

export const ALL_WALLETS: SearchPlace = { below: 2n ** 63n - 1n, count: 20_000 };

/**
 * Begins to read the earlier movements of wallets that are covered from a final block on. Shows those that were read before to
 * customers that watch the wallet only now, and shares the turns of customers. Returns where the next run goes on.
 */
export async function beginBackfills(
  deps: BackfillDeps & Pick<LedgerDeps, 'backfillBlocks' | 'log'>,
  chainId: number,
  place: SearchPlace,
): Promise<SearchPlace> {
  const { below, count } = place;
  const found = await fenced(deps, chainId, async (tx) => {
    // The ledger is not restarted meanwhile: then nothing would be recorded from the blocks on that are read here.
    await tx.$queryRaw`SELECT 1 FROM "IndexCursor" WHERE "chainId" = ${chainId} AND stream = ${TRANSFERS} FOR SHARE`;
    const [page] = await tx.$queryRaw<[{ first: bigint | null; found: bigint }]>`
      SELECT min("walletId") AS first, count(*) AS found
        FROM (SELECT "walletId" FROM "WalletCoverage" WHERE "chainId" = ${chainId} AND "walletId" < ${below}
               ORDER BY "walletId" DESC LIMIT ${count}) AS searched`;
    if (page.first === null) return { next: { below: ALL_WALLETS.below, count } };
    const range = Prisma.sql`"chainId" = ${chainId} AND "walletId" >= ${page.first} AND "walletId" < ${below}`;
    const { backfillBlocks } = deps;
    const begun = await beginNew(tx, { chainId, range, backfillBlocks });
    // Rows of earlier movements are locked before any coverage, as when a block is discarded.
    const joined = await joinBegun(tx, { chainId, range });
    const limited = await limitShown(tx, { chainId, range, backfillBlocks });
    if (begun === MAX_NEW || Math.max(limited, joined) === MAX_JOINED) return { next: place, range };
    return { next: { below: page.found < count ? ALL_WALLETS.below : page.first, count }, range };
  });
  if (found.range !== undefined) {
    // Turns are only an order: wallets are read without a change of it, and the search goes on.
    await shareTurns(deps, chainId, found.range).catch((error: unknown) => {
      deps.log.warn({ chainId, cause: describeFailure(error) }, 'the turns of customers could not be shared');
    });
  }
  return found.next;
}

interface SearchedRange {
  readonly chainId: number;
  /** The condition for the coverage of the wallets that are searched. */
  readonly range: Prisma.Sql;
}

const beginNew = (
  tx: Transaction,
  { chainId, range, backfillBlocks }: SearchedRange & { readonly backfillBlocks: number },
): Promise<number> => tx.$executeRaw`
  INSERT INTO "WalletBackfill" ("walletId", "chainId", lowest, target, "customerId")
  SELECT wallet.id, ${chainId}, covered.lowest, greatest(0, covered.lowest - ${backfillBlocks}), covered."customerId"
    FROM (SELECT coverage."walletId", min(coverage."fromBlock") AS lowest, min(coverage."customerId"::text)::uuid AS "customerId"
            FROM (SELECT * FROM "WalletCoverage" WHERE ${range}) AS coverage
           WHERE NOT EXISTS (SELECT 1 FROM "WalletBackfill" AS own
                              WHERE own."walletId" = coverage."walletId" AND own."chainId" = ${chainId})
           GROUP BY coverage."walletId") AS covered
    JOIN "IndexCursor" AS cursor ON cursor."chainId" = ${chainId} AND cursor.stream = ${TRANSFERS}
    JOIN "WatchedWallet" AS wallet ON wallet.id = covered."walletId" AND wallet."suspendedAt" IS NULL
   WHERE covered.lowest <= cursor."finalNumber" + 1
   ORDER BY wallet.id LIMIT ${MAX_NEW} FOR KEY SHARE OF wallet
  ON CONFLICT DO NOTHING`;

/** Sets what a customer may see at most, where a process that reads no earlier movements began the coverage. */
const limitShown = (
  tx: Transaction,
  { chainId, range, backfillBlocks }: SearchedRange & { readonly backfillBlocks: number },
): Promise<number> => tx.$executeRaw`
  UPDATE "WalletCoverage" AS coverage SET earliest = greatest(0, coverage."visibleFrom" - ${backfillBlocks}::bigint)
    FROM (SELECT "customerId", "walletId" FROM "WalletCoverage"
           WHERE ${range} AND earliest IS NULL AND "visibleFrom" IS NOT NULL
           ORDER BY "walletId", "customerId" LIMIT ${MAX_JOINED}) AS found
   WHERE coverage."customerId" = found."customerId" AND coverage."walletId" = found."walletId"
     AND coverage."chainId" = ${chainId}`;

/**
 * Shows a customer what was read before it watched the wallet, not faster than if it was read for that customer alone. The rows
 * that are read are locked, in the order of their ids: a block may be discarded meanwhile, and nothing before it is complete
 * then. Coverage without a limit waits until it has one.
 */
const joinBegun = (tx: Transaction, { chainId, range }: SearchedRange): Promise<number> => tx.$executeRaw`
  UPDATE "WalletCoverage" AS coverage
     SET "visibleFrom" = least(coverage."visibleFrom", found.reached),
         "fromBlock" = CASE WHEN found.state = 'proven' AND found.reached = found.bound
                            THEN least(coverage."fromBlock", found.bound) ELSE coverage."fromBlock" END
    FROM (SELECT own.state, other."customerId", other."walletId", bounds.bound,
                 greatest(bounds.bound, other."visibleFrom" - ${MAX_SHOWN_BLOCKS}::bigint) AS reached
            FROM (SELECT * FROM "WalletCoverage" WHERE ${range}) AS other
            JOIN "WalletBackfill" AS own ON own."walletId" = other."walletId" AND own."chainId" = ${chainId}
            JOIN "WatchedWallet" AS wallet ON wallet.id = own."walletId"
           CROSS JOIN LATERAL (SELECT greatest(own.lowest, other.earliest) AS bound) AS bounds
           WHERE other."fromBlock" IS NOT NULL AND other.earliest IS NOT NULL AND wallet."suspendedAt" IS NULL
             AND (other."visibleFrom" > bounds.bound OR (own.state = 'proven' AND other."fromBlock" > bounds.bound))
           ORDER BY other."walletId", other."customerId" LIMIT ${MAX_JOINED} FOR SHARE OF own) AS found
   WHERE coverage."customerId" = found."customerId" AND coverage."walletId" = found."walletId"
     AND coverage."chainId" = ${chainId}`;

/** A wallet whose turn it is. */
export interface BackfillTurn extends WalletBackfill {
  /** The customer that has the turn. */
  readonly customerId: string;
}

/**
 * The wallet that waits longest, of the first customer behind `after` with one that is due: customers take turns, however many
 * wallets they have. `undefined` when none is due. Blocks that are not final are not read.
 */
export async function nextBackfill(
  deps: Pick<LedgerDeps, 'database'>,
  chainId: number,
  after?: string,
): Promise<BackfillTurn | undefined> {
  const behind = after === undefined ? Prisma.empty : Prisma.sql`AND "customerId" > ${after}::uuid`;
  const own = Prisma.sql`"WalletBackfill" WHERE "chainId" = ${chainId} AND state = 'walking'`;
  // Some index entries are read for each customer, however many wallets it has.
  const [row] = await deps.database.$queryRaw<BackfillTurn[]>`
    WITH RECURSIVE turn AS (
      (SELECT "customerId" FROM ${own} ${behind} ORDER BY "customerId" LIMIT 1)
      UNION ALL
      SELECT (SELECT "customerId" FROM ${own} AND "customerId" > turn."customerId" ORDER BY "customerId" LIMIT 1)
        FROM turn WHERE turn."customerId" IS NOT NULL
    )
    SELECT due.* FROM turn CROSS JOIN LATERAL (
      SELECT own."walletId", wallet.address, own.lowest, own.target, own."recordedTo", own."customerId",
             own."windowBlocks", own."steadyFor"
        FROM "WalletBackfill" AS own JOIN "WatchedWallet" AS wallet ON wallet.id = own."walletId"
        JOIN "IndexCursor" AS cursor ON cursor."chainId" = own."chainId" AND cursor.stream = ${TRANSFERS}
       WHERE own."chainId" = ${chainId} AND own.state = 'walking' AND own."customerId" = turn."customerId"
         AND own."nextAt" <= now() AND wallet."suspendedAt" IS NULL AND own.lowest <= cursor."finalNumber" + 1
       ORDER BY own."nextAt" LIMIT 1) AS due
     LIMIT 1`;
  return row === undefined && after !== undefined ? nextBackfill(deps, chainId) : row;
}

/**
 * Records the movements of a wallet from `first` up to the block before those that are recorded, and joins them with those below
 * that are recorded as well. Customers that have seen all that was read so far see them at once; the wallet is covered from
 * there on when they are proven. `paceAfter` is called when the movements are written, for what they took.
 *
 * @throws CursorMovedError when they were recorded, or given up, meanwhile
 */
export async function recordWindow(
  deps: BackfillDeps,
  chainId: number,
  {
    own,
    first,
    blocks,
    paceAfter,
  }: {
    readonly own: WalletBackfill;
    readonly first: bigint;
    readonly blocks: readonly SearchableBlock[];
    readonly paceAfter: () => WindowPace;
  },
): Promise<void> {
  const { walletId, address, lowest } = own;
  await fenced(deps, chainId, async (tx) => {
    const wallets = await tx.$queryRaw<unknown[]>`
      SELECT id FROM "WatchedWallet" WHERE id = ${walletId} AND "suspendedAt" IS NULL FOR NO KEY UPDATE`;
    if (wallets.length === 0) throw new CursorMovedError('the wallet is not recorded any more');
    const count = await replaceWalletEntries(tx, chainId, { walletId, address, first, last: lowest - 1n, blocks });
    const isAboveGap = Prisma.sql`coalesce("recordedTo" < ${first}::bigint - 1, false)`;
    const joined = Prisma.sql`CASE WHEN "recordedTo" >= ${first}::bigint - 1 THEN least("recordedFrom", ${first}::bigint) ELSE ${first}::bigint END`;
    const { windowBlocks, steadyFor } = paceAfter();
    // The limit is for movements that were not read before.
    const moved = await tx.$executeRaw`
      UPDATE "WalletBackfill"
         SET lowest = ${joined}, entries = entries + ${count}, attempts = 0, unreadable = 0, reason = NULL, "nextAt" = now(),
             "windowBlocks" = ${windowBlocks}::int, "steadyFor" = ${steadyFor},
             target = CASE WHEN entries + ${count} >= ${MAX_BACKFILLED_ENTRIES} AND NOT ${isAboveGap} THEN ${joined} ELSE target END,
             "recordedFrom" = CASE WHEN ${isAboveGap} THEN "recordedFrom" END,
             "recordedTo" = CASE WHEN ${isAboveGap} THEN "recordedTo" END
       WHERE "walletId" = ${walletId} AND "chainId" = ${chainId} AND lowest = ${lowest} AND state = 'walking'`;
    if (moved === 0) throw new CursorMovedError(`the earlier movements of a wallet are read elsewhere`);
    // For customers that have seen all that was read so far. `beginBackfills` shows it to the others, and what was joined with it.
    await tx.$executeRaw`
      UPDATE "WalletCoverage" SET "visibleFrom" = ${first}
       WHERE "walletId" = ${walletId} AND "chainId" = ${chainId} AND "visibleFrom" > ${first} AND "visibleFrom" <= ${lowest}`;
  });
}

/** Ends the reading of earlier movements. The wallet is covered from the first of them on when they are proven. */
export async function endBackfill(
  deps: BackfillDeps,
  chainId: number,
  {
    own: { walletId, lowest },
    state,
    reason,
  }: { readonly own: WalletBackfill; readonly state: Exclude<BackfillState, 'walking'>; readonly reason?: string },
): Promise<void> {
  await fenced(deps, chainId, async (tx) => {
    const ended = await tx.$executeRaw`
      UPDATE "WalletBackfill" SET state = ${state}, reason = ${reason ?? null}
       WHERE "walletId" = ${walletId} AND "chainId" = ${chainId} AND lowest = ${lowest}`;
    if (ended === 0 || state !== 'proven') return;
    await tx.$executeRaw`
      UPDATE "WalletCoverage" SET "fromBlock" = ${lowest}
       WHERE "walletId" = ${walletId} AND "chainId" = ${chainId} AND "fromBlock" > ${lowest}`;
  });
}

/** Lets the other wallets be read first, and keeps the size of the next window. */
export async function requeueBackfill(
  { database }: Pick<LedgerDeps, 'database'>,
  chainId: number,
  { walletId, windowBlocks, steadyFor }: WalletBackfill,
): Promise<void> {
  await database.$executeRaw`
    UPDATE "WalletBackfill" SET "nextAt" = now(), "windowBlocks" = ${windowBlocks}::int, "steadyFor" = ${steadyFor}
     WHERE "walletId" = ${walletId} AND "chainId" = ${chainId}`;
}

/**
 * Tries a wallet again later, with the given size of window. `maxAttempts` is for a block that cannot be read: after as many
 * attempts at it the wallet stays as it is, `unproven`. Failures of other kinds are not among them.
 */
export async function postponeBackfill(
  { database }: Pick<LedgerDeps, 'database'>,
  chainId: number,
  {
    own: { walletId, windowBlocks, steadyFor },
    reason,
    maxAttempts,
  }: { readonly own: WalletBackfill; readonly reason: string; readonly maxAttempts?: number | undefined },
): Promise<void> {
  await database.$executeRaw`
    UPDATE "WalletBackfill"
       SET attempts = attempts + 1, unreadable = unreadable + ${maxAttempts === undefined ? 0 : 1}, reason = ${reason.slice(0, 300)},
           "windowBlocks" = ${windowBlocks}::int, "steadyFor" = ${steadyFor},
           state = CASE WHEN state = 'walking' AND unreadable + 1 >= ${maxAttempts ?? null}::int THEN 'unproven' ELSE state END,
           "nextAt" = now() + make_interval(secs => least(
             ${MAX_DELAY_SECONDS}, ${FIRST_DELAY_SECONDS} * power(2, least(attempts, ${MAX_DOUBLINGS}))))
     WHERE "walletId" = ${walletId} AND "chainId" = ${chainId}`;
}
