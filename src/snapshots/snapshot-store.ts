import type { Pool } from 'pg';
import { z } from 'zod';
import type { CustomerId } from '../auth/principal';

export interface SnapshotStoreDeps {
  readonly pool: Pick<Pool, 'query'>;
  /** The time at which values are observed, read and reduced; the clock of the database by default. */
  readonly observedAt?: () => Date;
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

/** More than the changes of one wallet that are in transactions at the same time. */
const LAST_CHANGES = 20;

/**
 * State of the data that a section depends on: the last changes of the wallet's actions, its pinned tokens, the newest movement
 * on each chain that counts, which a reorganisation replaces, and the number of movements that were recorded today, which counts those of
 * blocks that are read again. Only the newest rows of an index are read. `wallet` and `customer` are SQL.
 *
 * The time of a change is the start of its transaction, and transactions commit in any order: a digest of the last changes sees
 * those that are committed after later ones, which the last time does not.
 */
export const basisOf = (wallet: string, customer = '$1'): string => `
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
         WHERE entry."walletId" = watched.id AND entry."chainId" = place."chainId" AND entry."blockNumber" <= place.number
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
  SELECT snapshot.section, snapshot.version::text, snapshot."computedAt", snapshot.basis = now.basis AS "isCurrent",
         extract(epoch FROM clock_timestamp() - snapshot."computedAt")::float8 * 1000 AS "ageMs",
         coalesce(snapshot."claimedUntil" > clock_timestamp(), false) AS "isClaimed"
    FROM "WalletSnapshot" AS snapshot CROSS JOIN (SELECT ${basisOf('$2::text')} AS basis) AS now
   WHERE snapshot."customerId" = $1 AND snapshot.wallet = $2::text AND snapshot.section = ANY ($3::text[])
     AND snapshot.body IS NOT NULL`;

const sectionRow = stateRow.pick({ version: true, isCurrent: true, isClaimed: true }).extend({
  section: z.string(),
  computedAt: z.date(),
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

export interface SnapshotKey extends Omit<SnapshotKeys, 'wallets'> {
  readonly wallet: string;
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

const bodyRow = z.object({ version: z.string(), computedAt: z.date(), body: z.string() });

/** The latest stored body; `undefined` without a readable one. */
export async function readStoredBody(
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
