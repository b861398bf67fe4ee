import type { Pool } from 'pg';
import { z } from 'zod';
import { JOB_NAMES } from './job-catalog';

/** Rows that are counted at most. */
const MAX_COUNTED = 20_000;

/** The jobs of one kind, in all of the deployment. */
export interface JobBacklog {
  readonly job: string;
  /** Jobs that could run now and have not begun. */
  readonly due: number;
  /** How long the oldest of them has waited, in seconds. */
  readonly oldestDueSeconds: number;
  /** Jobs without attempts left. A scheduled one is replaced by the next run. */
  readonly failed: number;
}

const rowSchema = z.object({
  job: z.string(),
  due: z.number(),
  oldestDueSeconds: z.number(),
  failed: z.number(),
});

const STATEMENT = `
  WITH counted AS (
    SELECT task_identifier AS job, run_at AS at, attempts >= max_attempts AS failed
      FROM graphile_worker.jobs WHERE locked_at IS NULL LIMIT ${String(MAX_COUNTED)})
  SELECT job,
         count(*) FILTER (WHERE NOT failed AND at <= now())::int AS due,
         coalesce(extract(epoch FROM now() - min(at) FILTER (WHERE NOT failed AND at <= now())), 0)::float8
           AS "oldestDueSeconds",
         count(*) FILTER (WHERE failed)::int AS failed
    FROM counted GROUP BY job`;

/** Reads the queue: one entry for each kind of job, also when none waits. Counts at most 20,000 jobs. */
export async function readJobBacklog(pool: Pick<Pool, 'query'>): Promise<readonly JobBacklog[]> {
  const { rows } = await pool.query(STATEMENT);
  const found = new Map(
    z
      .array(rowSchema)
      .parse(rows)
      .map((row) => [row.job, row]),
  );
  return JOB_NAMES.map((job) => found.get(job) ?? { job, due: 0, oldestDueSeconds: 0, failed: 0 });
}
