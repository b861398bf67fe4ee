import type { Pool } from 'pg';
import { z } from 'zod';
import { toUsdPrice } from '../../money/usd';
import type { BasePoint, DoubtfulValues, StoredMarket } from './observation';
import { parseRewardRates } from './reward-rates';

export interface MarketStoreDeps {
  readonly pool: Pick<Pool, 'query'>;
}

const COLUMNS = `
  "strategyId", "chainId"::text, market, at, "blockNumber"::text, "observedAt", "sharePriceRay"::text, "yearlyRateRay"::text, tvl::text,
  liquidity::text, "depositLimit"::text, "acceptsDeposits", "allowsWithdrawals", "usdE24"::text, "baseAt",
  "baseSharePriceRay"::text, "baseTvl"::text, "firstAt", "firstSharePriceRay"::text, "rateSumE18"::text, "rateSeconds"::text,
  "doubtfulAt", "doubtfulSharePriceRay"::text, "doubtfulYearlyRateRay"::text, "doubtfulTvl"::text, rewards, "updatedAt"`;

const integer = z.string().transform(BigInt);
const optionalInteger = integer.nullable().transform((value) => value ?? undefined);
const optionalTime = z.date().nullable();
const rowSchema = z.object({
  strategyId: z.string(),
  chainId: z.string().transform((text) => Number.parseInt(text, 10)),
  market: z
    .string()
    .nullable()
    .transform((key) => key ?? undefined),
  at: z.date(),
  blockNumber: integer,
  observedAt: z.date(),
  sharePriceRay: integer,
  yearlyRateRay: optionalInteger,
  tvl: integer,
  liquidity: optionalInteger,
  depositLimit: optionalInteger,
  acceptsDeposits: z.boolean(),
  allowsWithdrawals: z.boolean(),
  usdE24: integer.nullable(),
  baseAt: optionalTime,
  baseSharePriceRay: optionalInteger,
  baseTvl: optionalInteger,
  firstAt: z.date(),
  firstSharePriceRay: integer,
  rateSumE18: integer,
  rateSeconds: integer,
  doubtfulAt: optionalTime,
  doubtfulSharePriceRay: optionalInteger,
  doubtfulYearlyRateRay: optionalInteger,
  doubtfulTvl: optionalInteger,
  rewards: z.unknown().transform(parseRewardRates),
  updatedAt: z.date(),
});

/** A stored market with the time of its last change. */
export interface MarketRow extends StoredMarket {
  readonly updatedAt: Date;
}

function marketOf(row: z.infer<typeof rowSchema>): MarketRow {
  const { strategyId, chainId, at, blockNumber, observedAt, sharePriceRay, yearlyRateRay, tvl, liquidity } = row;
  const { depositLimit, acceptsDeposits, allowsWithdrawals, usdE24, baseAt, baseSharePriceRay, baseTvl } = row;
  const { firstAt, firstSharePriceRay, rateSumE18, rateSeconds, rewards, updatedAt } = row;
  const limits = { liquidity, depositLimit, acceptsDeposits, allowsWithdrawals };
  const values = { sharePriceRay, yearlyRateRay, tvl, ...limits, rewards };
  return {
    strategyId,
    chainId,
    market: row.market,
    observation: { ...values, at, blockNumber, observedAt, usdE24: usdE24 === null ? undefined : toUsdPrice(usdE24) },
    base:
      baseAt === null || baseSharePriceRay === undefined
        ? undefined
        : { at: baseAt, sharePriceRay: baseSharePriceRay, tvl: baseTvl },
    first: { at: firstAt, sharePriceRay: firstSharePriceRay },
    rateSumE18,
    rateSeconds,
    doubtful: doubtfulOf(row),
    updatedAt,
  };
}

/** `undefined` also for rows of an earlier version, which stored a time without values. The next reading is checked again. */
function doubtfulOf(row: z.infer<typeof rowSchema>): DoubtfulValues | undefined {
  const { doubtfulAt: at, doubtfulSharePriceRay: sharePriceRay, doubtfulTvl: tvl } = row;
  if (at === null || sharePriceRay === undefined || tvl === undefined) return undefined;
  return { at, sharePriceRay, yearlyRateRay: row.doubtfulYearlyRateRay, tvl };
}

const OF_STRATEGIES = `SELECT ${COLUMNS} FROM "StrategyState" WHERE "strategyId" = ANY($1::text[])`;
/** A transaction that is still open may commit a row that is older than the latest one: the overlap finds it. */
const SINCE = `SELECT ${COLUMNS} FROM "StrategyState" WHERE "updatedAt" > $1::timestamptz - interval '1 minute'`;
const ALL = `SELECT ${COLUMNS} FROM "StrategyState"`;

/** The stored markets of some strategies, by their slugs. One query. */
export async function readMarkets(
  { pool }: MarketStoreDeps,
  strategyIds: readonly string[],
): Promise<ReadonlyMap<string, MarketRow>> {
  const { rows } = await pool.query(OF_STRATEGIES, [strategyIds]);
  return new Map(
    z
      .array(rowSchema)
      .parse(rows)
      .map((row) => [row.strategyId, marketOf(row)]),
  );
}

/** All rows, or those that changed since a time. One query. */
export async function readMarketsSince(
  { pool }: MarketStoreDeps,
  since: Date | undefined,
): Promise<readonly MarketRow[]> {
  const { rows } = await (since === undefined ? pool.query(ALL) : pool.query(SINCE, [since]));
  return z.array(rowSchema).parse(rows).map(marketOf);
}

/** A row that another process has written meanwhile, of a later block, stays. */
const STORE = `
  INSERT INTO "StrategyState" (
    "strategyId", "chainId", market, at, "blockNumber", "observedAt", "sharePriceRay", "yearlyRateRay", tvl, liquidity, "depositLimit",
    "acceptsDeposits", "allowsWithdrawals", "usdE24", "baseAt", "baseSharePriceRay", "baseTvl", "firstAt", "firstSharePriceRay",
    "rateSumE18", "rateSeconds", "doubtfulAt", "doubtfulSharePriceRay", "doubtfulYearlyRateRay", "doubtfulTvl", rewards, "updatedAt")
  SELECT "strategyId", "chainId", market, at, "blockNumber", "observedAt", "sharePriceRay", "yearlyRateRay", tvl, liquidity, "depositLimit",
         "acceptsDeposits", "allowsWithdrawals", "usdE24", "baseAt", "baseSharePriceRay", "baseTvl", "firstAt", "firstSharePriceRay",
         "rateSumE18", "rateSeconds", "doubtfulAt", "doubtfulSharePriceRay", "doubtfulYearlyRateRay", "doubtfulTvl", rewards, now()
    FROM jsonb_to_recordset($1::jsonb) AS given (
      "strategyId" text, "chainId" bigint, market text, at timestamptz, "blockNumber" bigint, "observedAt" timestamptz,
      "sharePriceRay" numeric, "yearlyRateRay" numeric, tvl numeric, liquidity numeric, "depositLimit" numeric,
      "acceptsDeposits" boolean, "allowsWithdrawals" boolean, "usdE24" numeric, "baseAt" timestamptz,
      "baseSharePriceRay" numeric, "baseTvl" numeric, "firstAt" timestamptz, "firstSharePriceRay" numeric,
      "rateSumE18" numeric, "rateSeconds" bigint, "doubtfulAt" timestamptz,
      "doubtfulSharePriceRay" numeric, "doubtfulYearlyRateRay" numeric, "doubtfulTvl" numeric, rewards jsonb)
   ORDER BY "strategyId"
  ON CONFLICT ("strategyId") DO UPDATE SET
    market = coalesce(EXCLUDED.market, "StrategyState".market),
    at = EXCLUDED.at, "blockNumber" = EXCLUDED."blockNumber", "observedAt" = EXCLUDED."observedAt",
    "firstAt" = least(EXCLUDED."firstAt", "StrategyState"."firstAt"),
    "firstSharePriceRay" = CASE WHEN EXCLUDED."firstAt" < "StrategyState"."firstAt"
                                THEN EXCLUDED."firstSharePriceRay" ELSE "StrategyState"."firstSharePriceRay" END,
    "sharePriceRay" = EXCLUDED."sharePriceRay", "yearlyRateRay" = EXCLUDED."yearlyRateRay", tvl = EXCLUDED.tvl,
    liquidity = EXCLUDED.liquidity, "depositLimit" = EXCLUDED."depositLimit", "acceptsDeposits" = EXCLUDED."acceptsDeposits",
    "allowsWithdrawals" = EXCLUDED."allowsWithdrawals", "usdE24" = EXCLUDED."usdE24", "baseAt" = EXCLUDED."baseAt",
    "baseSharePriceRay" = EXCLUDED."baseSharePriceRay", "baseTvl" = EXCLUDED."baseTvl",
    "rateSumE18" = EXCLUDED."rateSumE18", "rateSeconds" = EXCLUDED."rateSeconds", "doubtfulAt" = EXCLUDED."doubtfulAt",
    "doubtfulSharePriceRay" = EXCLUDED."doubtfulSharePriceRay",
    "doubtfulYearlyRateRay" = EXCLUDED."doubtfulYearlyRateRay", "doubtfulTvl" = EXCLUDED."doubtfulTvl",
    rewards = EXCLUDED.rewards, "updatedAt" = now()
  WHERE coalesce(EXCLUDED."doubtfulAt", EXCLUDED.at) > coalesce("StrategyState"."doubtfulAt", "StrategyState".at)
     -- A block in the future is replaced by one of the present.
     OR (coalesce("StrategyState"."doubtfulAt", "StrategyState".at) > EXCLUDED."observedAt" + interval '1 minute'
         AND coalesce(EXCLUDED."doubtfulAt", EXCLUDED.at) <= EXCLUDED."observedAt" + interval '1 minute')`;

/** Stores markets in one statement. Returns the number of stored ones. */
export async function storeMarkets({ pool }: MarketStoreDeps, markets: readonly StoredMarket[]): Promise<number> {
  if (markets.length === 0) return 0;
  const rows = markets.map(({ observation, base, first, doubtful, ...market }) => ({
    ...market,
    ...observation,
    baseAt: base?.at,
    baseSharePriceRay: base?.sharePriceRay,
    baseTvl: base?.tvl,
    firstAt: first.at,
    firstSharePriceRay: first.sharePriceRay,
    doubtfulAt: doubtful?.at,
    doubtfulSharePriceRay: doubtful?.sharePriceRay,
    doubtfulYearlyRateRay: doubtful?.yearlyRateRay,
    doubtfulTvl: doubtful?.tvl,
  }));
  return (await pool.query(STORE, [exactJson(rows)])).rowCount ?? 0;
}

/** Integers as texts, which keep all digits. */
export const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item));

/** The day before an observation: 24 hours, at most two more, and at least one hour. */
const BASES = `
  SELECT DISTINCT ON (sample."strategyId") sample."strategyId", sample.at, sample."sharePriceRay"::text, sample.tvl::text
    FROM unnest($1::text[]) AS wanted (id)
    JOIN "StrategySample" AS sample ON sample."strategyId" = wanted.id
   WHERE sample.bucket >= $2::timestamptz - interval '27 hours' AND sample.bucket <= $2
     AND sample.at BETWEEN $2::timestamptz - interval '26 hours' AND $2::timestamptz - interval '1 hour'
   ORDER BY sample."strategyId", abs(extract(epoch FROM sample.at - ($2::timestamptz - interval '24 hours')))`;
const basesSchema = z.array(z.object({ strategyId: z.string(), at: z.date(), sharePriceRay: integer, tvl: integer }));

/** The samples nearest to 24 hours before a time, by the slugs of their strategies. One query. */
export async function readBases(
  { pool }: MarketStoreDeps,
  { strategyIds, at }: { readonly strategyIds: readonly string[]; readonly at: Date },
): Promise<ReadonlyMap<string, BasePoint>> {
  const rows = basesSchema.parse((await pool.query(BASES, [strategyIds, at])).rows);
  return new Map(rows.map(({ strategyId, ...base }) => [strategyId, base]));
}
