import type { Pool } from 'pg';
import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import type { MicroUsd } from '../money/usd';
import { isContentionError } from '../persistence/database-outage';

export interface SnapshotStoreDeps {
  readonly pool: Pick<Pool, 'query'>;
}

/** A section of the overviews of some wallets of a customer. */
export interface SnapshotKeys {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
  readonly section: string;
  /** Form of the bodies that this process reads and writes. */
  readonly format: number;
}

export interface StoredVersion {
  readonly version: string;
  readonly computedAt: Date;
  readonly ageMs: number;
  /** False when actions, movements or pinned tokens of the wallet have changed since. */
  readonly isCurrent: boolean;
}

export interface SnapshotState {
  /** Grows with each claim and each result; 0 without a row. */
  readonly claim: string;
  /** `undefined` before the first computation. */
  readonly stored: StoredVersion | undefined;
  /** True while a process computes the section. */
  readonly isClaimed: boolean;
}

/** The right to store the next version. */
export interface SnapshotClaim {
  readonly claim: string;
  /** The version that is stored, whatever the form of its body; 0 before the first one. */
  readonly version: string;
  /** State of the data before the computation. */
  readonly basis: string;
}

/** What a section is worth, for the history of its values. */
export interface SectionWorth {
  readonly usd: MicroUsd;
  /** Millionths of a real; `undefined` when the real has no price. */
  readonly brl: bigint | undefined;
  /** The same without what another section contains as well; `undefined` when that is not known. */
  readonly apart: { readonly usd: MicroUsd; readonly brl: bigint | undefined } | undefined;
  /** Number of listed and pinned tokens, or positions, that the value lacks. */
  readonly unpriced: number;
  /** Number of chains or strategies that could not be read: the value lacks what is there, or has its last known amount. */
  readonly unread: number;
}

/** Time in which a computation is stored. Readings end before; the claim of a process that crashed expires after it. */
const CLAIM_SECONDS = 15;

/** More than the changes of one wallet that are in transactions at the same time. */
const LAST_CHANGES = 20;

/**
 * State of the data that a section depends on: the last changes of the wallet's actions, its pinned tokens, the newest movement
 * on each chain, which a reorganisation replaces, and the number of movements that were recorded today, which counts those of
 * blocks that are read again. Only the newest rows of an index are read. `wallet` and `customer` are SQL.
 *
 * The time of a change is the start of its transaction, and transactions commit in any order: a digest of the last changes sees
 * those that are committed after later ones, which the last time does not.
 */
const basisOf = (wallet: string, customer = '$1'): string => `
  concat_ws(' ',
    coalesce((SELECT md5(string_agg(concat_ws(' ', changed."actionId", extract(epoch FROM changed."updatedAt"), changed.status), ' '
                                    ORDER BY changed."updatedAt", changed."actionId"))
                FROM (SELECT party."actionId", party."updatedAt", party.status FROM "ActionParty" AS party
                       WHERE party."customerId" = ${customer} AND party.wallet = ${wallet} AND NOT party."isDraft"
                       ORDER BY party."updatedAt" DESC, party."actionId" DESC LIMIT ${String(LAST_CHANGES)}) AS changed), '-'),
    (SELECT count(*) || ':' || coalesce(extract(epoch FROM max(pin."createdAt"))::text, '-') FROM "PinnedToken" AS pin
      WHERE pin."customerId" = ${customer} AND pin.wallet = ${wallet}),
    (SELECT concat_ws(' ', watched."countedOn", watched."entriesOfDay", string_agg(newest.place, ' ' ORDER BY place."chainId"))
       FROM "WatchedWallet" AS watched
       JOIN "WalletWatch" AS watch ON watch."walletId" = watched.id AND watch."customerId" = ${customer}
      CROSS JOIN "IndexCursor" AS place
      CROSS JOIN LATERAL (
        SELECT concat_ws(':', entry."chainId", entry."blockNumber", encode(entry."blockHash", 'hex'), entry."logIndex") AS place
          FROM "LedgerEntry" AS entry
         WHERE entry."walletId" = watched.id AND entry."chainId" = place."chainId"
         ORDER BY entry."blockTime" DESC, entry."blockNumber" DESC, entry."logIndex" DESC, entry.part DESC LIMIT 1) AS newest
      WHERE watched.address = lower(${wallet}) AND place.stream = 'transfers' GROUP BY watched.id))`;

const READ_STATES = `
  SELECT wallet.address AS wallet, snapshot.version::text, snapshot.claim::text, snapshot."computedAt", snapshot.basis = ${basisOf('wallet.address')} AS "isCurrent",
         extract(epoch FROM clock_timestamp() - snapshot."computedAt")::float8 * 1000 AS "ageMs",
         coalesce(snapshot."claimedUntil" > clock_timestamp(), false) AS "isClaimed",
         snapshot.body IS NOT NULL AND snapshot.format = $4 AS "isReadable"
    FROM unnest($2::text[]) AS wallet (address)
    JOIN "WalletSnapshot" AS snapshot
      ON snapshot."customerId" = $1 AND snapshot.wallet = wallet.address AND snapshot.section = $3`;

const stateRow = z.object({
  wallet: z.string(),
  version: z.string(),
  claim: z.string(),
  computedAt: z.date().nullable(),
  isCurrent: z.boolean(),
  ageMs: z.number().nullable(),
  isClaimed: z.boolean(),
  isReadable: z.boolean(),
});

export const NEVER_COMPUTED: SnapshotState = { claim: '0', stored: undefined, isClaimed: false };

/** The state of each wallet, in one statement. Bodies are not read. */
export async function readStates(
  { pool }: SnapshotStoreDeps,
  { customerId, wallets, section, format }: SnapshotKeys,
): Promise<ReadonlyMap<string, SnapshotState>> {
  const values = [customerId, wallets, section, format];
  const { rows } = await pool.query({ name: 'snapshot-states', text: READ_STATES, values });
  const found = new Map(
    z
      .array(stateRow)
      .parse(rows)
      .map((row) => [row.wallet, stateOf(row)]),
  );
  return new Map(wallets.map((wallet) => [wallet, found.get(wallet) ?? NEVER_COMPUTED]));
}

function stateOf({ version, claim, computedAt, ageMs, isCurrent, isClaimed, isReadable }: z.infer<typeof stateRow>) {
  const isStored = isReadable && computedAt !== null && ageMs !== null;
  return { claim, stored: isStored ? { version, computedAt, ageMs, isCurrent } : undefined, isClaimed };
}

const READ_SECTIONS = `
  SELECT snapshot.section, snapshot.version::text, snapshot.basis = now.basis AS "isCurrent",
         extract(epoch FROM clock_timestamp() - snapshot."computedAt")::float8 * 1000 AS "ageMs",
         coalesce(snapshot."claimedUntil" > clock_timestamp(), false) AS "isClaimed"
    FROM "WalletSnapshot" AS snapshot CROSS JOIN (SELECT ${basisOf('$2::text')} AS basis) AS now
   WHERE snapshot."customerId" = $1 AND snapshot.wallet = $2::text AND snapshot.section = ANY ($3::text[])
     AND snapshot.body IS NOT NULL`;

const sectionRow = stateRow.pick({ version: true, isCurrent: true, isClaimed: true }).extend({
  section: z.string(),
  ageMs: z.number(),
});

/** State of a stored section. */
export type SectionState = z.infer<typeof sectionRow>;

/** The state of stored sections of a wallet, in one statement. Sections that were never computed are left out. */
export async function readSectionStates(
  { pool }: SnapshotStoreDeps,
  {
    customerId,
    wallet,
    sections,
  }: Pick<SnapshotKey, 'customerId' | 'wallet'> & { readonly sections: readonly string[] },
): Promise<readonly SectionState[]> {
  const { rows } = await pool.query({
    name: 'snapshot-sections',
    text: READ_SECTIONS,
    values: [customerId, wallet, sections],
  });
  return z.array(sectionRow).parse(rows);
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
  { pool }: SnapshotStoreDeps,
  { customerId, wallets, section, format }: SnapshotKeys,
  claimOf: (wallet: string) => string,
): Promise<ReadonlyMap<string, SnapshotClaim>> {
  const known = wallets.map(claimOf);
  const values = [customerId, wallets, section, format, CLAIM_SECONDS, known];
  const { rows } = await pool.query(CLAIM, values).catch((error: unknown) => {
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

export interface SnapshotKey extends Omit<SnapshotKeys, 'wallets'> {
  readonly wallet: string;
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
           "computedAt" = clock_timestamp(), claim = claim + 1, "claimedUntil" = NULL
     WHERE "customerId" = $1 AND wallet = $2 AND section = $3 AND claim = $7 AND "claimedUntil" IS NOT NULL
    RETURNING "customerId", wallet, section, version, "computedAt"),
  observed AS (
    INSERT INTO "WalletValue" AS known ("customerId", wallet, section, step, at, "usdMicros", "brlMicros", unpriced, unread,
                                        "apartUsdMicros", "apartBrlMicros")
    SELECT "customerId", wallet, section, date_bin('5 minutes', "computedAt", 'epoch'::timestamptz), "computedAt", $8, $9, $10, $11,
           $12, $13
      FROM stored WHERE $8::numeric IS NOT NULL
    ON CONFLICT ("customerId", wallet, section, step) DO UPDATE
       SET at = excluded.at, "usdMicros" = excluded."usdMicros", "brlMicros" = excluded."brlMicros", unpriced = excluded.unpriced,
           unread = excluded.unread, "apartUsdMicros" = excluded."apartUsdMicros", "apartBrlMicros" = excluded."apartBrlMicros"
     WHERE known.at < excluded.at AND (excluded.unread = 0 OR known.unread > 0))
  SELECT version::text, "computedAt" FROM stored`;

/**
 * Stores the next version, and what it is worth; without a body the time of the present version. `undefined` when the claim was
 * lost meanwhile: nothing is stored then.
 */
export async function storeSnapshot(
  { pool }: SnapshotStoreDeps,
  { customerId, wallet, section, format }: SnapshotKey,
  { claim, basis, body, worth }: SnapshotResult,
): Promise<{ readonly version: string; readonly computedAt: Date } | undefined> {
  const value = [
    worth?.usd.toString() ?? null,
    worth?.brl?.toString() ?? null,
    worth?.unpriced ?? null,
    worth?.unread ?? null,
    worth?.apart?.usd.toString() ?? null,
    worth?.apart?.brl?.toString() ?? null,
  ];
  const { rows } = await pool.query(STORE, [customerId, wallet, section, format, body, basis, claim, ...value]);
  return z.array(versionRow).parse(rows)[0];
}

const READ_BASES = `
  SELECT ${basisOf('wallet.address', 'wallet.customer')} AS basis
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS wallet (customer, address, position) ORDER BY wallet.position`;

/** The state of what snapshots of the wallets depend on, in their order. */
export async function readWalletBases(
  { pool }: SnapshotStoreDeps,
  wallets: readonly { readonly customerId: CustomerId; readonly address: string }[],
): Promise<readonly string[]> {
  const values = [wallets.map(({ customerId }) => customerId), wallets.map(({ address }) => address)];
  const { rows } = await pool.query({ name: 'wallet-bases', text: READ_BASES, values });
  return z
    .array(z.object({ basis: z.string() }))
    .parse(rows)
    .map(({ basis }) => basis);
}

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

const bodyRow = z.object({ version: z.string(), computedAt: z.date(), body: z.string() });

/** The latest stored body; `undefined` without a readable one. */
export async function readBody(
  { pool }: SnapshotStoreDeps,
  { customerId, wallet, section, format }: SnapshotKey,
): Promise<z.infer<typeof bodyRow> | undefined> {
  const { rows } = await pool.query(
    `SELECT version::text, "computedAt", body FROM "WalletSnapshot"
      WHERE "customerId" = $1 AND wallet = $2 AND section = $3 AND format = $4 AND body IS NOT NULL`,
    [customerId, wallet, section, format],
  );
  return z.array(bodyRow).parse(rows)[0];
}
