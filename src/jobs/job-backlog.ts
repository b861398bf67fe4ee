import type { Pool } from 'pg';
import { z } from 'zod';
import { MAX_BACKLOG_COUNTED } from '../persistence/max-backlog-counted';
import { JOB_NAMES } from './job-catalog';

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

// Failed and later jobs are counted apart: however many there are, they hide none that waits.
const STATEMENT = `
  WITH due AS (
    SELECT task_identifier AS job, run_at FROM graphile_worker.jobs
     WHERE locked_at IS NULL AND attempts < max_attempts AND run_at <= now() ORDER BY run_at LIMIT $1),
  failed AS (
    SELECT task_identifier AS job FROM graphile_worker.jobs
     WHERE locked_at IS NULL AND attempts >= max_attempts LIMIT $1),
  counted AS (
    SELECT job, run_at FROM due UNION ALL SELECT job, NULL FROM failed)
  SELECT job,
         count(run_at)::int AS due,
         coalesce(extract(epoch FROM now() - min(run_at)), 0)::float8 AS "oldestDueSeconds",
         (count(*) - count(run_at))::int AS failed
    FROM counted GROUP BY job`;

/** Reads the queue: one entry for each kind of job, also when none waits. Counts the `maxCounted` oldest jobs that are due. */
export async function readJobBacklog(
  pool: Pick<Pool, 'query'>,
  maxCounted = MAX_BACKLOG_COUNTED,
): Promise<readonly JobBacklog[]> {
  const { rows } = await pool.query(STATEMENT, [maxCounted]);
  const found = new Map(
    z
      .array(rowSchema)
      .parse(rows)
      .map((row) => [row.job, row]),
  );
  return JOB_NAMES.map((job) => found.get(job) ?? { job, due: 0, oldestDueSeconds: 0, failed: 0 });
}
