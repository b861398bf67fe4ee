import { z } from 'zod';
import { toUsdPrice, type UsdPrice } from '../../money/usd';
import { exactJson, type MarketStoreDeps } from './market-store';
import type { StoredMarket } from './observation';
import type { SharePricePoint } from './yields';

/** An observation in the history of a strategy. */
export interface MarketSample extends SharePricePoint {
  readonly yearlyRateRay: bigint | undefined;
  readonly tvl: bigint;
  readonly usdE24: UsdPrice | undefined;
}

/** The last observation of an hour replaces the ones before. */
const STORE = `
  INSERT INTO "StrategySample" ("strategyId", bucket, at, "blockNumber", "sharePriceRay", "yearlyRateRay", tvl, "usdE24")
  SELECT "strategyId", date_bin('1 hour', at, 'epoch'::timestamptz), at, "blockNumber", "sharePriceRay", "yearlyRateRay", tvl, "usdE24"
    FROM jsonb_to_recordset($1::jsonb) AS sample (
      "strategyId" text, at timestamptz, "blockNumber" bigint, "sharePriceRay" numeric, "yearlyRateRay" numeric, tvl numeric,
      "usdE24" numeric)
   ORDER BY "strategyId"
  ON CONFLICT ("strategyId", bucket) DO UPDATE SET
    at = EXCLUDED.at, "blockNumber" = EXCLUDED."blockNumber", "sharePriceRay" = EXCLUDED."sharePriceRay",
    "yearlyRateRay" = EXCLUDED."yearlyRateRay", tvl = EXCLUDED.tvl, "usdE24" = EXCLUDED."usdE24"
  WHERE EXCLUDED.at > "StrategySample".at`;

/** Stores the observations of markets in one statement. */
export async function storeMarketSamples(
  { pool }: MarketStoreDeps,
  markets: readonly Pick<StoredMarket, 'strategyId' | 'observation'>[],
): Promise<void> {
  if (markets.length === 0) return;
  const rows = markets.map(({ strategyId, observation }) => ({ strategyId, ...observation }));
  await pool.query(STORE, [exactJson(rows)]);
}

/** Removes samples of blocks that are later than a time: blocks in the future, as a node may invent them. */
export async function removeSamplesAfter(
  { pool }: MarketStoreDeps,
  strategyIds: readonly string[],
  time: Date,
): Promise<void> {
  await pool.query('DELETE FROM "StrategySample" WHERE "strategyId" = ANY($1::text[]) AND at > $2', [
    strategyIds,
    time,
  ]);
}

const DAY_SECONDS = 86_400;
const HOURLY_SECONDS = 31 * DAY_SECONDS;
const BATCH_SIZE = 5000;
const MAX_BATCHES = 20;

/** Only complete days are reduced. */
const REDUCE = `
  WITH due AS MATERIALIZED (
    SELECT "strategyId", bucket FROM "StrategySample"
     WHERE resolution = 3600 AND bucket < date_bin('1 day', now() - make_interval(secs => $1), 'epoch'::timestamptz)
     ORDER BY bucket LIMIT $2 FOR UPDATE SKIP LOCKED),
  decided AS MATERIALIZED (
    SELECT due.*, EXISTS (
      SELECT 1 FROM "StrategySample" AS later
       WHERE later."strategyId" = due."strategyId" AND later.bucket > due.bucket
         AND later.bucket < date_bin('1 day', due.bucket, 'epoch'::timestamptz) + interval '1 day'
    ) AS superseded FROM due),
  kept AS (
    UPDATE "StrategySample" AS sample SET resolution = ${String(DAY_SECONDS)} FROM decided
     WHERE NOT superseded AND sample."strategyId" = decided."strategyId" AND sample.bucket = decided.bucket),
  removed AS (
    DELETE FROM "StrategySample" AS sample USING decided
     WHERE superseded AND sample."strategyId" = decided."strategyId" AND sample.bucket = decided.bucket)
  SELECT count(*)::int AS due, count(*) FILTER (WHERE superseded)::int AS removed FROM decided`;
const reduced = z.tuple([z.object({ due: z.number(), removed: z.number() })]);

/**
 * Keeps the last observation of every hour for 31 days, and of every day for ever. A run is bounded; the next one continues.
 * Returns the number of removed rows.
 */
export async function downSampleMarkets(
  { pool, batchSize = BATCH_SIZE }: MarketStoreDeps & { readonly batchSize?: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
    const [{ due, removed }] = reduced.parse((await pool.query(REDUCE, [HOURLY_SECONDS, batchSize])).rows);
    total += removed;
    if (due < batchSize) break;
  }
  return total;
}

/** A span of time, and the length of its steps in seconds. */
export interface SampledSpan {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly stepSeconds: number;
}

const HISTORY = `
  SELECT DISTINCT ON (sample."strategyId", step) sample."strategyId", sample.at, sample."sharePriceRay"::text,
         sample."yearlyRateRay"::text, sample.tvl::text, sample."usdE24"::text,
         date_bin(make_interval(secs => $4), sample.bucket, 'epoch'::timestamptz) AS step
    FROM unnest($1::text[]) AS wanted (id)
    JOIN "StrategySample" AS sample ON sample."strategyId" = wanted.id
   WHERE sample.bucket >= $2 AND sample.bucket < $3
   ORDER BY sample."strategyId", step, sample.bucket DESC`;
const integer = z.string().transform(BigInt);
const historySchema = z.array(
  z.object({
    strategyId: z.string(),
    at: z.date(),
    sharePriceRay: integer,
    yearlyRateRay: integer.nullable(),
    tvl: integer,
    usdE24: integer.nullable(),
  }),
);

/** The last sample of each step, the oldest first, by the slugs of the strategies. One query. */
export async function readMarketSamples(
  { pool }: MarketStoreDeps,
  strategyIds: readonly string[],
  { from, to, stepSeconds }: SampledSpan,
): Promise<ReadonlyMap<string, readonly MarketSample[]>> {
  const { rows } = await pool.query(HISTORY, [strategyIds, from, to, stepSeconds]);
  const histories = new Map<string, MarketSample[]>(strategyIds.map((id) => [id, []]));
  for (const { strategyId, yearlyRateRay, usdE24, ...sample } of historySchema.parse(rows)) {
    const usd = usdE24 === null ? undefined : toUsdPrice(usdE24);
    histories.get(strategyId)?.push({ ...sample, yearlyRateRay: yearlyRateRay ?? undefined, usdE24: usd });
  }
  return histories;
}
