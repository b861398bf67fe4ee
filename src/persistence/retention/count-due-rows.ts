import type { Pool } from 'pg';
import { z } from 'zod';
import { retentionRules, type RetentionSettings } from './retention-rules';

/** Due rows that are counted at most, so that the report does not read a whole table. */
export const MAX_COUNTED = 100_000;

/** State of one rule. */
export interface RetentionState {
  readonly rule: string;
  readonly table: string;
  /** Seconds after which a row is due. */
  readonly seconds: number;
  /** Rows that the next runs remove, at most `MAX_COUNTED`. */
  readonly due: number;
}

/** Size of one table with its indexes. */
export interface TableSize {
  readonly table: string;
  /** Estimate of the planner's statistics; before the first ones, of the counters of changed rows. */
  readonly rows: number;
  readonly bytes: number;
}

export interface RetentionReport {
  readonly rules: readonly RetentionState[];
  /** All tables, the largest first. */
  readonly tables: readonly TableSize[];
}

const counted = z.tuple([z.object({ due: z.number() })]);
const sizes = z.array(z.object({ table: z.string(), rows: z.number(), bytes: z.number() }));

const SIZES = `
  SELECT relname AS table, CASE WHEN reltuples < 0 THEN pg_stat_get_live_tuples(oid) ELSE reltuples END::float8 AS rows,
         pg_total_relation_size(oid)::float8 AS bytes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC, relname`;

/** How many rows each rule has to remove, and how large the tables are. */
export async function countDueRows({
  pool,
  settings,
}: {
  readonly pool: Pick<Pool, 'query'>;
  readonly settings: RetentionSettings;
}): Promise<RetentionReport> {
  const rules: RetentionState[] = [];
  for (const { name: rule, table, seconds, due } of retentionRules(settings)) {
    const { rows } = await pool.query(`SELECT count(*)::int AS due FROM (${due} LIMIT $2) AS due`, [
      seconds,
      MAX_COUNTED,
    ]);
    const [state] = counted.parse(rows);
    rules.push({ rule, table, seconds, due: state.due });
  }
  return { rules, tables: sizes.parse((await pool.query(SIZES)).rows) };
}
