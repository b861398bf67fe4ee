import { exactJson, type MarketStoreDeps } from './market-store';

/** A strategy without stored values. */
export interface NewStrategy {
  readonly strategyId: string;
  readonly chainId: number;
  /** Key of its market. */
  readonly market: string;
  /** Slugs of its other names. */
  readonly aliases: readonly string[];
}

/** Rows of earlier versions lack the market: then the strategy has to name the former id as an alias. */
const ADOPT = `
  WITH renamed AS MATERIALIZED (
    SELECT DISTINCT ON (wanted."strategyId") wanted."strategyId" AS id, state."strategyId" AS former
      FROM jsonb_to_recordset($1::jsonb) AS wanted ("strategyId" text, "chainId" bigint, market text, aliases text[])
      JOIN "StrategyState" AS state ON state."chainId" = wanted."chainId"
       AND (state.market = wanted.market OR (state.market IS NULL AND state."strategyId" = ANY(wanted.aliases)))
     WHERE state."strategyId" <> ALL($2::text[])
       AND NOT EXISTS (SELECT 1 FROM "StrategyState" AS own WHERE own."strategyId" = wanted."strategyId")
     ORDER BY wanted."strategyId", state.at DESC),
  states AS (
    UPDATE "StrategyState" AS state SET "strategyId" = renamed.id, "updatedAt" = now()
      FROM renamed WHERE state."strategyId" = renamed.former)
  UPDATE "StrategySample" AS sample SET "strategyId" = renamed.id
    FROM renamed
   WHERE sample."strategyId" = renamed.former
     AND NOT EXISTS (SELECT 1 FROM "StrategySample" AS own
                      WHERE own."strategyId" = renamed.id AND own.bucket = sample.bucket)`;

/**
 * Gives strategies the values and samples that are stored for their markets under a former id. `present` are the slugs of all
 * strategies of the catalog, which keep their own. One statement.
 */
export async function adoptHistories(
  { pool }: MarketStoreDeps,
  strategies: readonly NewStrategy[],
  present: readonly string[],
): Promise<void> {
  if (strategies.length > 0) await pool.query(ADOPT, [exactJson(strategies), present]);
}
