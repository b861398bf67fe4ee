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

/** What a wallet was worth at the end of a step. In millionths of the currency. */
export interface WalletValuePoint {
  /** Time of the latest observation in the step. */
  readonly at: Date;
  /** The last observation of each section until then; `undefined` before the first one. */
  readonly tokens: MicroUsd | undefined;
  readonly earn: MicroUsd | undefined;
  /** Sum of the two. */
  readonly total: MicroUsd;
  /** Number of listed and pinned tokens, and of positions, that the sum lacks because they had no price. */
  readonly unpriced: number;
}

/** Observations of sections that are older when a range begins are not part of it. */
const READ = `
  SELECT DISTINCT ON (value.wallet, bin, value.section) value.wallet, value.section, value.at, value.unpriced,
         date_bin(make_interval(secs => $3), value.step, 'epoch'::timestamptz) AS bin,
         CASE WHEN $5 = 'BRL' THEN value."brlMicros" ELSE value."usdMicros" END::text AS micros
    FROM "WalletValue" AS value
   WHERE value."customerId" = $1 AND value.wallet = ANY ($2::text[]) AND value.section IN ('tokens', 'earn')
     AND value.step >= date_bin(make_interval(secs => $3), now() - make_interval(secs => $4), 'epoch'::timestamptz)
     AND ($5 <> 'BRL' OR value."brlMicros" IS NOT NULL)
   ORDER BY value.wallet, bin, value.section, value.step DESC`;

const observed = z.object({
  wallet: z.string(),
  section: z.enum(['tokens', 'earn']),
  at: z.date(),
  bin: z.date(),
  unpriced: z.number(),
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
  { pool }: SnapshotStoreDeps,
  { customerId, wallets, range, currency }: ValuesRequest,
): Promise<readonly (readonly WalletValuePoint[])[]> {
  const { seconds, step } = RANGES[range];
  const { rows } = await pool.query(READ, [customerId, wallets, step, seconds, currency]);
  const found = z.array(observed).parse(rows);
  return wallets.map((wallet) => pointsOf(found.filter((row) => row.wallet === wallet)));
}

/** The points of one wallet; `rows` in the order of their steps. */
function pointsOf(rows: readonly Observed[]): readonly WalletValuePoint[] {
  const points = new Map<number, WalletValuePoint>();
  const last: Last = {};
  for (const row of rows) {
    last[row.section] = row;
    const step = row.bin.getTime();
    const at = new Date(Math.max(row.at.getTime(), points.get(step)?.at.getTime() ?? 0));
    points.set(step, { at, ...sumOf(last) });
  }
  return [...points.values()];
}

/** The last observation of each section. */
type Last = Partial<Record<Observed['section'], Observed>>;

function sumOf(last: Readonly<Last>): Omit<WalletValuePoint, 'at'> {
  const known = [last.tokens, last.earn].filter((row) => row !== undefined);
  return {
    tokens: last.tokens?.micros,
    earn: last.earn?.micros,
    total: toMicroUsd(known.reduce((sum, { micros }) => sum + micros, 0n)),
    unpriced: known.reduce((sum, row) => sum + row.unpriced, 0),
  };
}

/** Rows of one resolution that are old enough leave the last one of each longer step. In seconds. */
const REDUCTIONS = [
  { from: 300, to: HOUR, age: DAY },
  { from: HOUR, to: DAY, age: 31 * DAY },
] as const;
const BATCH_SIZE = 5000;
const MAX_BATCHES = 20;

/** Only complete steps are reduced: a running hour may still have a later observation. */
const REDUCE = `
  WITH due AS MATERIALIZED (
    SELECT "customerId", wallet, section, step FROM "WalletValue"
     WHERE resolution = $1
       AND step < date_bin(make_interval(secs => $2), now() - make_interval(secs => $3), 'epoch'::timestamptz)
     ORDER BY step LIMIT $4 FOR UPDATE SKIP LOCKED),
  decided AS MATERIALIZED (
    SELECT due.*, EXISTS (
      SELECT 1 FROM "WalletValue" AS later
       WHERE later."customerId" = due."customerId" AND later.wallet = due.wallet AND later.section = due.section
         AND later.step > due.step
         AND later.step < date_bin(make_interval(secs => $2), due.step, 'epoch'::timestamptz) + make_interval(secs => $2)
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
  { pool, batchSize = BATCH_SIZE }: SnapshotStoreDeps & { readonly batchSize?: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const { from, to, age } of REDUCTIONS) {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const { rows } = await pool.query(REDUCE, [from, to, age, batchSize]);
      const [{ due, removed }] = reduced.parse(rows);
      total += removed;
      if (due < batchSize) break;
    }
  }
  return total;
}
