import type { Pool } from 'pg';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { LedgerReport, LedgerStatus } from '../ledger-report';
import type { MovementCoverage } from '../movement-coverage';
import { SIGNATURES } from './solana-ledger-deps';

/** Seconds without a pass, or after the time of a reading, beyond which a chain is stalled, or a wallet behind. */
const [MAX_UNCHECKED_SECONDS, MAX_OVERDUE_SECONDS] = [90, 120];
/** Seconds after the last complete reading beyond which a wallet is behind: the longest interval, and the time of a reading. */
const MAX_UNREAD_SECONDS = 300 + MAX_OVERDUE_SECONDS;

const rowsSchema = z.array(
  z.object({
    wallet: z.string(),
    chainId: z.number(),
    readSlot: z.number().nullable(),
    readSeconds: z.number(),
    overdueSeconds: z.number(),
    headSlot: z.number(),
    uncheckedSeconds: z.number(),
    cutAt: z.number().nullable(),
    unreadable: z.number(),
    waiting: z.number(),
    omitted: z.number(),
    history: z.enum(['walking', 'proven', 'unproven']),
    isSuspended: z.boolean(),
    isFailing: z.boolean(),
  }),
);
type Row = z.infer<typeof rowsSchema>[number];

/** One statement, so that place and waiting transactions are of the same moment. */
const COVERAGES = `
  SELECT wallet.address AS wallet, wallet."chainId"::float8 AS "chainId", wallet."readSlot"::float8 AS "readSlot",
         greatest(0, floor(extract(epoch FROM now() - coalesce(wallet."readAt", wallet."createdAt"))))::float8 AS "readSeconds",
         greatest(0, floor(extract(epoch FROM now() - wallet."nextAt")))::float8 AS "overdueSeconds",
         coalesce(cursor."headNumber", 0)::float8 AS "headSlot",
         greatest(0, floor(extract(epoch FROM now() - coalesce(cursor."checkedAt", wallet."createdAt"))))::float8 AS "uncheckedSeconds",
         (SELECT max("oldestSlot")::float8 FROM "SolanaAccount" WHERE "walletId" = wallet.id) AS "cutAt",
         signatures.unreadable, signatures.waiting, wallet."omittedAccounts" AS omitted, wallet.history,
         wallet."suspendedAt" IS NOT NULL AS "isSuspended", wallet.failure IS NOT NULL AS "isFailing"
    FROM "SolanaWallet" AS wallet
    JOIN "SolanaWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = $2::uuid
    LEFT JOIN "IndexCursor" AS cursor ON cursor."chainId" = wallet."chainId" AND cursor.stream = $1
   CROSS JOIN LATERAL (
     SELECT count(*) FILTER (WHERE attempts > 0)::int AS unreadable, count(*)::int AS waiting
       FROM "SolanaSignature" WHERE "walletId" = wallet.id) AS signatures
   WHERE wallet.address = ANY ($3::text[]) ORDER BY wallet."chainId"`;

/** Which slots the movements of several Solana wallets of a customer are recorded of, in the order of the addresses. */
export async function listSolanaCoverage(
  { pool }: { readonly pool: Pick<Pool, 'query'> },
  {
    customerId,
    addresses,
    chainIds,
  }: { readonly customerId: CustomerId; readonly addresses: readonly string[]; readonly chainIds: readonly number[] },
): Promise<readonly (readonly MovementCoverage[])[]> {
  const result = await pool.query(COVERAGES, [SIGNATURES, customerId, addresses]);
  const rows = rowsSchema.parse(result.rows).filter(({ chainId }) => chainIds.includes(chainId));
  return addresses.map((address) => rows.filter(({ wallet }) => wallet === address).map(coverageView));
}

function coverageView(row: Row): MovementCoverage {
  const isStarted = row.readSlot !== null && !row.isSuspended;
  // Earlier transactions of the slot of the oldest one may be left out.
  const first = row.cutAt === null ? 0 : row.cutAt + 1;
  const fromBlock = isStarted ? first : null;
  const status = statusOf(row);
  const isWhole = row.waiting === 0 && row.omitted === 0;
  return {
    chainId: row.chainId,
    fromBlock,
    coinFromBlock: fromBlock,
    historyFromBlock: fromBlock,
    history: isStarted ? row.history : null,
    toBlock: isStarted ? row.readSlot : null,
    incompleteBlocks: row.unreadable,
    isComplete: isStarted && isWhole && status === 'ok',
    status,
    lagBlocks: Math.max(0, row.headSlot - (row.readSlot ?? 0)),
    lagSeconds: row.readSeconds,
  };
}

function statusOf(row: Row): LedgerStatus | 'suspended' {
  if (row.isSuspended) return 'suspended';
  if (row.uncheckedSeconds > MAX_UNCHECKED_SECONDS) return 'stalled';
  return isBehind(row) ? 'behind' : 'ok';
}

/** Readings that fail are repeated in time: a wallet whose readings fail is not overdue. */
function isBehind({ readSlot, overdueSeconds, readSeconds, isFailing }: Row): boolean {
  const maxReadSeconds = isFailing ? MAX_OVERDUE_SECONDS : MAX_UNREAD_SECONDS;
  return readSlot === null || overdueSeconds > MAX_OVERDUE_SECONDS || readSeconds > maxReadSeconds;
}

const statesSchema = z.array(
  z.object({
    chainId: z.number(),
    headSlot: z.number(),
    uncheckedSeconds: z.number(),
    behindSlot: z.number().nullable(),
    overdueSeconds: z.number(),
    quarantined: z.number(),
    wallets: z.number(),
    walking: z.number(),
    proven: z.number(),
    unproven: z.number(),
    failing: z.number(),
  }),
);

const STATES = `
  SELECT cursor."chainId"::float8 AS "chainId", cursor."headNumber"::float8 AS "headSlot",
         greatest(0, floor(extract(epoch FROM now() - cursor."checkedAt")))::float8 AS "uncheckedSeconds",
         all_wallets.*
    FROM "IndexCursor" AS cursor
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS wallets,
            (min(coalesce("readSlot", 0)) FILTER (WHERE "dueAt" < now() - make_interval(secs => $2)))::float8 AS "behindSlot",
            coalesce(greatest(0, floor(extract(epoch FROM now() - min("dueAt")))), 0)::float8 AS "overdueSeconds",
            (count(*) FILTER (WHERE history = 'walking'))::int AS walking,
            (count(*) FILTER (WHERE history = 'proven'))::int AS proven,
            (count(*) FILTER (WHERE history = 'unproven'))::int AS unproven,
            (count(*) FILTER (WHERE failure IS NOT NULL))::int AS failing,
            (SELECT count(*)::int FROM "SolanaSignature" AS item JOIN "SolanaWallet" AS owner ON owner.id = item."walletId"
              WHERE owner."chainId" = cursor."chainId" AND item.attempts > 0) AS quarantined
       FROM (SELECT *, CASE WHEN failure IS NULL THEN "nextAt" ELSE coalesce("readAt", "createdAt") END AS "dueAt"
               FROM "SolanaWallet" WHERE "chainId" = cursor."chainId" AND "suspendedAt" IS NULL) AS wallet) AS all_wallets
   WHERE cursor.stream = $1 ORDER BY cursor."chainId"`;

/** The ledger of each Solana chain that was started. Block numbers are slots. */
export async function solanaLedgerStates(pool: Pick<Pool, 'query'>): Promise<readonly LedgerReport[]> {
  const { rows } = await pool.query(STATES, [SIGNATURES, MAX_OVERDUE_SECONDS]);
  return statesSchema.parse(rows).map((row) => {
    const blockNumber = row.behindSlot ?? row.headSlot;
    return {
      chainId: row.chainId,
      status: chainStatus(row),
      blockNumber,
      finalNumber: blockNumber,
      headNumber: row.headSlot,
      lagBlocks: Math.max(0, row.headSlot - blockNumber),
      lagSeconds: row.behindSlot === null ? 0 : row.overdueSeconds,
      quarantined: row.quarantined,
      reason: reasonOf(row.failing),
      backfills: { walking: row.walking, proven: row.proven, unproven: row.unproven },
    };
  });
}

/** Without the failures themselves: they may contain data of a wallet, and `/health` is public. */
function reasonOf(failing: number): string | undefined {
  if (failing === 0) return undefined;
  return failing === 1
    ? 'the last reading of 1 wallet failed'
    : `the last reading of ${String(failing)} wallets failed`;
}

function chainStatus(row: z.infer<typeof statesSchema>[number]): LedgerStatus {
  if (row.wallets === 0) return 'idle';
  if (row.uncheckedSeconds > MAX_UNCHECKED_SECONDS) return 'stalled';
  return row.behindSlot === null ? 'ok' : 'behind';
}
