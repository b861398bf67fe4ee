import type { Pool } from 'pg';
import { z } from 'zod';
import { toUsdPrice } from '../../money/usd';
import { PRICE_FLAGS, PRICE_KINDS, type TokenPrice } from '../token-price';

export type PricePoint = Pick<TokenPrice, 'usdE24' | 'source' | 'kind' | 'asOf' | 'flags' | 'isConfirmed'>;

/** The token of a sample: the native coin stands as its wrapper. */
export interface SampledToken {
  readonly chainId: number;
  readonly address: string;
}

export interface PriceSample extends SampledToken, PricePoint {
  /** Samples of unlisted tokens are removed after some time. */
  readonly isListed: boolean;
}

export interface SampleDeps {
  readonly pool: Pick<Pool, 'query'>;
}

const INSERT = `
  INSERT INTO "PriceSample" ("chainId", token, at, "usdE24", source, kind, flags, "isConfirmed", "isListed")
  SELECT "chainId", token, at, usd, source, kind, string_to_array(flags, ','), is_confirmed, is_listed
    FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::numeric[], $5::text[], $6::text[], $7::text[], $8::bool[], $9::bool[])
      AS sample("chainId", token, at, usd, source, kind, flags, is_confirmed, is_listed)
  ON CONFLICT DO NOTHING`;

/** Stores samples in one statement. Returns the number of new ones: an observation that is stored already is no new one. */
export async function storeSamples({ pool }: SampleDeps, samples: readonly PriceSample[]): Promise<number> {
  if (samples.length === 0) return 0;
  const { rowCount } = await pool.query(INSERT, [
    samples.map(({ chainId }) => chainId),
    samples.map(({ address }) => address),
    samples.map(({ asOf }) => asOf),
    samples.map(({ usdE24 }) => usdE24.toString()),
    samples.map(({ source }) => source),
    samples.map(({ kind }) => kind),
    samples.map(({ flags }) => flags.join(',')),
    samples.map(({ isConfirmed }) => isConfirmed),
    samples.map(({ isListed }) => isListed),
  ]);
  return rowCount ?? 0;
}

/** A rule of down-sampling: rows of one step that are old enough leave the last one of each longer step. */
interface Step {
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  /** Age in seconds from which the rule applies. */
  readonly age: number;
}

const DAY_SECONDS = 86_400;
const STEPS: readonly Step[] = [
  { from: 300, to: 3600, age: DAY_SECONDS },
  { from: 3600, to: DAY_SECONDS, age: 31 * DAY_SECONDS },
];
const BATCH_SIZE = 5000;
const MAX_BATCHES = 20;

/** Only complete steps are reduced: a running hour may still have a later observation. */
const REDUCE = `
  WITH due AS MATERIALIZED (
    SELECT "chainId", token, at FROM "PriceSample"
     WHERE resolution = $1
       AND at < date_bin(make_interval(secs => $2), now() - make_interval(secs => $3), 'epoch'::timestamptz)
     ORDER BY at LIMIT $4 FOR UPDATE SKIP LOCKED),
  decided AS MATERIALIZED (
    SELECT due.*, EXISTS (
      SELECT 1 FROM "PriceSample" AS later
       WHERE later."chainId" = due."chainId" AND later.token = due.token AND later.at > due.at
         AND later.at < date_bin(make_interval(secs => $2), due.at, 'epoch'::timestamptz) + make_interval(secs => $2)
    ) AS superseded FROM due),
  kept AS (
    UPDATE "PriceSample" AS sample SET resolution = $2 FROM decided
     WHERE NOT superseded AND sample."chainId" = decided."chainId" AND sample.token = decided.token AND sample.at = decided.at),
  removed AS (
    DELETE FROM "PriceSample" AS sample USING decided
     WHERE superseded AND sample."chainId" = decided."chainId" AND sample.token = decided.token AND sample.at = decided.at)
  SELECT count(*)::int AS due, count(*) FILTER (WHERE superseded)::int AS removed FROM decided`;

const reduced = z.tuple([z.object({ due: z.number(), removed: z.number() })]);

/**
 * Keeps the last observation of every five minutes for a day, of every hour for a month, and of every day for ever. A run is
 * bounded; the next one continues. Returns the number of removed rows.
 */
export async function downSamplePrices(
  { pool, batchSize = BATCH_SIZE }: SampleDeps & { readonly batchSize?: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const { from, to, age } of STEPS) {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const [{ due, removed }] = reduced.parse((await pool.query(REDUCE, [from, to, age, batchSize])).rows);
      total += removed;
      if (due < batchSize) break;
    }
  }
  return total;
}

/** A span of time, and the length of its steps in seconds. */
export interface SampledRange {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly stepSeconds: number;
}

const HISTORY = `
  SELECT DISTINCT ON (requested.position, step) requested.position::int, sample.at, sample."usdE24"::text AS usd, sample.source,
         sample.kind, sample.flags, sample."isConfirmed", date_bin(make_interval(secs => $5), sample.at, 'epoch'::timestamptz) AS step
    FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS requested("chainId", token, position)
    JOIN "PriceSample" AS sample ON sample."chainId" = requested."chainId" AND sample.token = requested.token
   WHERE sample.at >= $3 AND sample.at < $4
   ORDER BY requested.position, step, sample.at DESC`;

const price = z.string().transform((text, context) => {
  const value = toUsdPrice(BigInt(text));
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'must be positive' });
  return z.NEVER;
});
const points = z.array(
  z.object({
    position: z.number(),
    at: z.date(),
    usd: price,
    source: z.string(),
    kind: z.enum(PRICE_KINDS),
    flags: z.array(z.enum(PRICE_FLAGS)),
    isConfirmed: z.boolean(),
  }),
);

/** The last observation of every step that has one, the oldest first, for each of the tokens. One query. */
export async function readHistories(
  { pool }: SampleDeps,
  tokens: readonly SampledToken[],
  { from, to, stepSeconds }: SampledRange,
): Promise<readonly (readonly PricePoint[])[]> {
  const { rows } = await pool.query(HISTORY, [
    tokens.map(({ chainId }) => chainId),
    tokens.map(({ address }) => address),
    from,
    to,
    stepSeconds,
  ]);
  const histories: PricePoint[][] = tokens.map(() => []);
  for (const { position, at, usd, ...point } of points.parse(rows)) {
    histories[position - 1]?.push({ ...point, asOf: at, usdE24: usd });
  }
  return histories;
}
