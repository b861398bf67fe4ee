import type { Transaction } from '../persistence/database';
import { JOBS, type JobName, type JobPayload } from './job-catalog';

export interface JobRequest<Name extends JobName> {
  readonly name: Name;
  readonly payload: JobPayload<Name>;
  /** Now by default. */
  readonly runAt?: Date;
  /** A new job replaces a waiting job with the same key. */
  readonly key?: string;
}

/**
 * Adds a job as part of `tx`: it runs after the transaction commits, and never when it rolls back. The function of the database lets
 * requests add jobs, whose tables they may not use.
 */
export async function enqueue<Name extends JobName>(
  tx: Pick<Transaction, '$executeRaw'>,
  { name, payload, runAt, key }: JobRequest<Name>,
): Promise<void> {
  const json = JSON.stringify(JOBS[name].payload.parse(payload));
  await tx.$executeRaw`
    SELECT "addJob"(${name}::text, ${json}::json, ${runAt ?? null}::timestamptz, ${key ?? null}::text)`;
}
