import { type Logger as WorkerLogger, runMigrations } from 'graphile-worker';
import { Client } from 'pg';

const LOCK = 1_246_446_146;

/** Creates or migrates the tables of the queue, in their own schema. */
export async function prepareJobQueue(deps: { readonly url: string; readonly logger: WorkerLogger }): Promise<void> {
  const client = new Client({ connectionString: deps.url, application_name: 'afluente jobs' });
  await client.connect();
  try {
    // Concurrent migrations would fail.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await runMigrations({ connectionString: deps.url, maxPoolSize: 1, logger: deps.logger });
  } finally {
    await client.end();
  }
}
