import type { Pool } from 'pg';
import { z } from 'zod';

const rowsSchema = z.tuple([z.object({ drift: z.number() })]);

/** Differences that the last recounts of histories found and repaired. */
export async function readCounterDrift(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query('SELECT coalesce(sum(drift), 0)::float8 AS drift FROM "CounterDrift"');
  return rowsSchema.parse(rows)[0].drift;
}
