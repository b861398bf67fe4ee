import { z } from 'zod';
import type { MicroUsd } from '../money/usd';
import { isContentionError } from '../persistence/database-outage';
import { type SnapshotTimes, timesOf } from './snapshot-times';
import { basisOf, type SnapshotKey, type SnapshotKeys, type SnapshotStoreDeps } from './snapshot-store';

/** The right to store the next version. */
export interface SnapshotClaim {
  readonly claim: string;
  /** The version that is stored, whatever the form of its body; that of the new row before the first one. */
  readonly version: string;
  /** State of the data before the computation. */
  readonly basis: string;
}

/** What a section is worth, for the history of its values. */
export interface SectionWorth {
  readonly usd: MicroUsd;
  /** Millionths of a real; `undefined` when the real has no price. */
  readonly brl: bigint | undefined;
  /** The same without what another section contains as well; `undefined` when that is unknown. */
  readonly apart: Pick<SectionWorth, 'usd' | 'brl' | 'unpriced'> | undefined;
  /** Number of listed and pinned tokens, or positions, that the value lacks. */
  readonly unpriced: number;
  /**
   * Number of chains or strategies that could not be read: the value lacks what is there, or has its last known amount. One more
   * while it lacks executed actions.
   */
  readonly unread: number;
}

/**
 * Versions and claims of a new row begin at the clock: a process may still have those of a row that was removed. The indexed time of the
 * request is a day old at most: a row whose index entries stay is updated in place.
 */
const CLAIM = `
  INSERT INTO "WalletSnapshot" AS snapshot ("customerId", wallet, section, format, "requestedAt", version, claim, "claimedUntil")
  SELECT own."customerId", own.address, $3, $4, clock_timestamp(), started.ms, started.ms, clock_timestamp() + make_interval(secs => $5)
    FROM "CustomerWallet" AS own
   CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS started
    JOIN unnest($2::text[], $6::bigint[]) AS known (address, claim) ON known.address = own.address
   WHERE own."customerId" = $1 ORDER BY own.address
  ON CONFLICT ("customerId", wallet, section) DO UPDATE
     SET claim = snapshot.claim + 1, "claimedUntil" = excluded."claimedUntil",
         "requestedAt" = CASE WHEN snapshot."requestedAt" < excluded."requestedAt" - interval '1 day' THEN excluded."requestedAt"
                              ELSE snapshot."requestedAt" END
   WHERE (snapshot."claimedUntil" IS NULL OR snapshot."claimedUntil" <= clock_timestamp())
     AND snapshot.claim = (SELECT known.claim FROM unnest($2::text[], $6::bigint[]) AS known (address, claim)
                            WHERE known.address = snapshot.wallet)
  RETURNING snapshot.wallet, snapshot.claim::text, snapshot.version::text, ${basisOf('snapshot.wallet')} AS basis`;

const FOREIGN_KEY_VIOLATION = '23503';

const claimRow = z.object({ wallet: z.string(), claim: z.string(), version: z.string(), basis: z.string() });

/**
 * Claims the computation of sections that no process computes, and that none has claimed or stored since the known claim. Wallets
 * that are not registered are never claimed.
 */
export async function claimSnapshots(
  deps: SnapshotStoreDeps & { readonly snapshotTimes?: SnapshotTimes },
  { customerId, wallets, section, format }: SnapshotKeys,
  claimOf: (wallet: string) => string,
): Promise<ReadonlyMap<string, SnapshotClaim>> {
  const known = wallets.map(claimOf);
  const seconds = timesOf(deps).claimMs / 1000;
  const values = [customerId, wallets, section, format, seconds, known];
  const { rows } = await deps.pool.query(CLAIM, values).catch((error: unknown) => {
    // An erasure is removing one of the wallets: what is computed is not stored.
    if (isContentionError(error) || (error as { readonly code?: unknown }).code === FOREIGN_KEY_VIOLATION)
      return { rows: [] };
    throw error;
  });
  return new Map(
    z
      .array(claimRow)
      .parse(rows)
      .map(({ wallet, ...claim }) => [wallet, claim]),
  );
}

/** What a claimed computation has found. */
interface SnapshotResult extends Pick<SnapshotClaim, 'claim' | 'basis'> {
  /** Null when it is that of the version that is stored. */
  readonly body: string | null;
  readonly worth: SectionWorth | undefined;
}

const versionRow = z.object({ version: z.string(), computedAt: z.date() });

/**
 * An unchanged body is not sent. It keeps its version unless its basis has changed, on which the history depends as well. The
 * last value in five minutes stays: that of a complete section, if there is any.
 */
const STORE = `
  WITH stored AS (
    UPDATE "WalletSnapshot"
       SET version = version + ($5::text IS NOT NULL OR basis <> $6)::int, format = $4, body = coalesce($5, body), basis = $6,
           "computedAt" = coalesce($15::timestamptz, clock_timestamp()), claim = claim + 1, "claimedUntil" = NULL
     WHERE "customerId" = $1 AND wallet = $2 AND section = $3 AND claim = $7 AND "claimedUntil" IS NOT NULL
    RETURNING "customerId", wallet, section, version, "computedAt"),
  observed AS (
    INSERT INTO "WalletValue" AS known ("customerId", wallet, section, step, at, "usdMicros", "brlMicros", unpriced, unread,
                                        "apartUsdMicros", "apartBrlMicros", "apartUnpriced")
    SELECT "customerId", wallet, section, date_bin('5 minutes', "computedAt", 'epoch'::timestamptz), "computedAt", $8, $9, $10, $11,
           $12, $13, $14
      FROM stored WHERE $8::numeric IS NOT NULL
    ON CONFLICT ("customerId", wallet, section, step) DO UPDATE
       SET at = excluded.at, "usdMicros" = excluded."usdMicros", "brlMicros" = excluded."brlMicros", unpriced = excluded.unpriced,
           unread = excluded.unread, "apartUsdMicros" = excluded."apartUsdMicros", "apartBrlMicros" = excluded."apartBrlMicros",
           "apartUnpriced" = excluded."apartUnpriced"
     WHERE known.at < excluded.at AND (excluded.unread = 0 OR known.unread > 0))
  SELECT version::text, "computedAt" FROM stored`;

/**
 * Stores the next version, and what it is worth; without a body the time of the present version. `undefined` when the claim was
 * lost meanwhile: nothing is stored then.
 */
export async function storeSnapshot(
  { pool, observedAt }: SnapshotStoreDeps,
  { customerId, wallet, section, format }: SnapshotKey,
  { claim, basis, body, worth }: SnapshotResult,
): Promise<{ readonly version: string; readonly computedAt: Date } | undefined> {
  const result = [body, basis, claim, ...valuesOf(worth), observedAt?.() ?? null];
  const { rows } = await pool.query(STORE, [customerId, wallet, section, format, ...result]);
  return z.array(versionRow).parse(rows)[0];
}

function valuesOf(worth: SectionWorth | undefined): readonly unknown[] {
  if (worth === undefined) return NO_VALUES;
  const { usd, brl, unpriced, unread, apart } = worth;
  return [String(usd), textOf(brl), unpriced, unread, textOf(apart?.usd), textOf(apart?.brl), apart?.unpriced ?? null];
}

const NO_VALUES: readonly unknown[] = Array.from({ length: 7 }, () => null);

const textOf = (amount: bigint | undefined): string | null => amount?.toString() ?? null;

/** Gives a claim up after a failure. */
export async function releaseSnapshot(
  { pool }: SnapshotStoreDeps,
  { customerId, wallet, section }: SnapshotKey,
  claim: string,
): Promise<void> {
  await pool.query(
    `UPDATE "WalletSnapshot" SET "claimedUntil" = NULL
      WHERE "customerId" = $1 AND wallet = $2 AND section = $3 AND claim = $4`,
    [customerId, wallet, section, claim],
  );
}
