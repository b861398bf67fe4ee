import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { toMicroUsd, type MicroUsd } from '../money/usd';
import type { SnapshotStoreDeps } from './snapshot-store';

export const VALUE_RANGES = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type ValueRange = (typeof VALUE_RANGES)[number];

export const VALUE_CURRENCIES = ['USD', 'BRL'] as const;
export type ValueCurrency = (typeof VALUE_CURRENCIES)[number];

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Length of the ranges and of their steps, in seconds: at most 366 steps. */
const RANGES: Readonly<Record<ValueRange, { readonly seconds: number; readonly step: number }>> = {
  DAY: { seconds: DAY, step: 300 },
  WEEK: { seconds: 7 * DAY, step: HOUR },
  MONTH: { seconds: 30 * DAY, step: 6 * HOUR },
  YEAR: { seconds: 365 * DAY, step: DAY },
};

/** What a wallet was worth in a step. In millionths of the currency. */
export interface WalletValuePoint {
  /** Time of the latest observation in the step. */
  readonly at: Date;
  /** The last observation of each section in the step, the last complete one if there is any; `undefined` without one. */
  readonly tokens: MicroUsd | undefined;
  readonly earn: MicroUsd | undefined;
  /** The last sum of two complete sections that were observed together; `undefined` when none were in the step. */
  readonly total: MicroUsd | undefined;
  /** Number of listed and pinned tokens, and of positions, that the total, or the sections without one, lack because they had no price. */
  readonly unpriced: number;
  /** Number of chains and strategies that could not be read: the sections lack what is there, or have its last known amount. */
  readonly unread: number;
}

const READ = `
  SELECT DISTINCT ON (value.wallet, bin, value.section) value.wallet, value.section, value.at, value.unpriced, value.unread,
         date_bin(make_interval(secs => $3), value.step, 'epoch'::timestamptz) AS bin,
         CASE WHEN $5 = 'BRL' THEN value."brlMicros" ELSE value."usdMicros" END::text AS micros
    FROM "WalletValue" AS value
   WHERE value."customerId" = $1 AND value.wallet = ANY ($2::text[]) AND value.section IN ('tokens', 'earn', 'total')
     AND value.step >= date_bin(make_interval(secs => $3), coalesce($6::timestamptz, now()) - make_interval(secs => $4), 'epoch'::timestamptz)
     AND ($5 <> 'BRL' OR value."brlMicros" IS NOT NULL)
   ORDER BY value.wallet, bin, value.section, value.unread > 0, value.step DESC`;

const observed = z.object({
  wallet: z.string(),
  section: z.enum(['tokens', 'earn', 'total']),
  at: z.date(),
  bin: z.date(),
  unpriced: z.number(),
  unread: z.number(),
  micros: z.string().transform((text) => toMicroUsd(BigInt(text))),
});
type Observed = z.infer<typeof observed>;

interface ValuesRequest {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
  readonly range: ValueRange;
  readonly currency: ValueCurrency;
}

/** The values of wallets over a range, the oldest first, in one statement. Steps without an observation have no point. */
export async function readWalletValues(
  { pool, observedAt }: SnapshotStoreDeps,
  { customerId, wallets, range, currency }: ValuesRequest,
): Promise<readonly (readonly WalletValuePoint[])[]> {
  const { seconds, step } = RANGES[range];
  const { rows } = await pool.query(READ, [customerId, wallets, step, seconds, currency, observedAt?.() ?? null]);
  const found = z.array(observed).parse(rows);
  return wallets.map((wallet) => pointsOf(found.filter((row) => row.wallet === wallet)));
}

/** The points of one wallet; `rows` in the order of their steps. */
function pointsOf(rows: readonly Observed[]): readonly WalletValuePoint[] {
  const steps = new Map<number, Partial<Record<Observed['section'], Observed>>>();
  for (const row of rows) {
    const step = row.bin.getTime();
    steps.set(step, { ...steps.get(step), [row.section]: row });
  }
  return [...steps.values()].map(pointOf);
}

/**
 * A section is not carried on to a step without it, and is never added to one of another time: what moved between the two would
 * count twice, or not at all.
 */
function pointOf({ tokens, earn, total }: Readonly<Partial<Record<Observed['section'], Observed>>>): WalletValuePoint {
  const known = [tokens, earn, total].filter((row) => row !== undefined);
  const counted = total === undefined ? known : [total];
  return {
    at: new Date(Math.max(...known.map(({ at }) => at.getTime()))),
    tokens: tokens?.micros,
    earn: earn?.micros,
    total: total?.micros,
    unpriced: counted.reduce((sum, row) => sum + row.unpriced, 0),
    unread: known.reduce((sum, row) => sum + row.unread, 0),
  };
}

/** Seconds between the observations of two sections that are added up. */
const MAX_SECONDS_APART = 10;

/**
 * Complete sections of one basis: none of the changes that the service records lies between them. Tokens that stand for positions
 * in strategies count once, in the section of the strategies.
 */
const ADD_UP = `
  INSERT INTO "WalletValue" AS known ("customerId", wallet, section, step, at, "usdMicros", "brlMicros", unpriced)
  SELECT tokens."customerId", tokens.wallet, 'total', date_bin('5 minutes', greatest(tokens.at, earn.at), 'epoch'::timestamptz), greatest(tokens.at, earn.at),
         tokens."apartUsdMicros" + earn."usdMicros", tokens."apartBrlMicros" + earn."brlMicros", tokens."apartUnpriced" + earn.unpriced
    FROM ${observedNow('tokens')} AS tokens
    JOIN ${observedNow('earn')} AS earn ON earn.basis = tokens.basis
   WHERE abs(extract(epoch FROM tokens.at - earn.at)) <= $3 AND tokens."apartUsdMicros" IS NOT NULL
  ON CONFLICT ("customerId", wallet, section, step) DO UPDATE
     SET at = excluded.at, "usdMicros" = excluded."usdMicros", "brlMicros" = excluded."brlMicros", unpriced = excluded.unpriced
   WHERE known.at <= excluded.at`;

/** The observation that was made when the snapshot of the section was stored; none of an incomplete one. */
function observedNow(section: 'tokens' | 'earn'): string {
  return `(
      SELECT value.*, snapshot.basis
        FROM "WalletSnapshot" AS snapshot
        JOIN "WalletValue" AS value
          ON value."customerId" = $1 AND value.wallet = $2 AND value.section = '${section}' AND value.unread = 0 AND value.at = snapshot."computedAt"
         AND value.step = date_bin('5 minutes', snapshot."computedAt", 'epoch'::timestamptz)
       WHERE snapshot."customerId" = $1 AND snapshot.wallet = $2 AND snapshot.section = '${section}')`;
}

/**
 * Adds up the sections of a wallet that were observed together. After each of them is stored, by a statement of its own: the
 * later one of two concurrent ones sees both.
 */
export async function observeTotal(
  { pool }: SnapshotStoreDeps,
  { customerId, wallet }: { readonly customerId: CustomerId; readonly wallet: string },
): Promise<void> {
  await pool.query({ name: 'wallet-total', text: ADD_UP, values: [customerId, wallet, MAX_SECONDS_APART] });
}

/** Rows of one resolution that are old enough leave the last complete one of each longer step, or the last one. In seconds. */
const REDUCTIONS = [
  { from: 300, to: HOUR, age: DAY },
  { from: HOUR, to: DAY, age: 31 * DAY },
] as const;
const BATCH_SIZE = 5000;
const MAX_BATCHES = 20;

/** Only complete steps are reduced: a running hour may still have a later observation. */
const REDUCE = `
  WITH due AS MATERIALIZED (
    SELECT "customerId", wallet, section, step, unread FROM "WalletValue"
     WHERE resolution = $1
       AND step < date_bin(make_interval(secs => $2), coalesce($5::timestamptz, now()) - make_interval(secs => $3), 'epoch'::timestamptz)
     ORDER BY step LIMIT $4 FOR UPDATE SKIP LOCKED),
  decided AS MATERIALIZED (
    SELECT due.*, EXISTS (
      SELECT 1 FROM "WalletValue" AS other
       WHERE other."customerId" = due."customerId" AND other.wallet = due.wallet AND other.section = due.section
         AND other.step >= date_bin(make_interval(secs => $2), due.step, 'epoch'::timestamptz)
         AND other.step < date_bin(make_interval(secs => $2), due.step, 'epoch'::timestamptz) + make_interval(secs => $2)
         AND (other.unread = 0, other.step) > (due.unread = 0, due.step)
    ) AS superseded FROM due),
  kept AS (
    UPDATE "WalletValue" AS value SET resolution = $2 FROM decided
     WHERE NOT superseded AND value."customerId" = decided."customerId" AND value.wallet = decided.wallet
       AND value.section = decided.section AND value.step = decided.step),
  removed AS (
    DELETE FROM "WalletValue" AS value USING decided
     WHERE superseded AND value."customerId" = decided."customerId" AND value.wallet = decided.wallet
       AND value.section = decided.section AND value.step = decided.step)
  SELECT count(*)::int AS due, count(*) FILTER (WHERE superseded)::int AS removed FROM decided`;

const reduced = z.tuple([z.object({ due: z.number(), removed: z.number() })]);

/**
 * Keeps the last value of every five minutes for a day, of every hour for a month, and of every day after that. A run is
 * bounded; the next one continues. Returns the number of removed rows.
 */
export async function downSampleWalletValues(
  { pool, observedAt, batchSize = BATCH_SIZE }: SnapshotStoreDeps & { readonly batchSize?: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const { from, to, age } of REDUCTIONS) {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const { rows } = await pool.query(REDUCE, [from, to, age, batchSize, observedAt?.() ?? null]);
      const [{ due, removed }] = reduced.parse(rows);
      total += removed;
      if (due < batchSize) break;
    }
  }
  return total;
}
