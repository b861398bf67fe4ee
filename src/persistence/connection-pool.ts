import { Pool } from 'pg';
import type { Logger } from 'pino';

export interface PoolOptions {
  readonly url: string;
  /** Connections that may be open at once. */
  readonly size: number;
  /** What the database shows as the user of the connections. */
  readonly name: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** A connection that cannot be made in this time, in milliseconds, is a failure rather than a wait. */
const CONNECT_PATIENCE_MS = 10_000;

/**
 * Connections to the database, opened when they are needed. One that dies, idle or in use, is logged and replaced:
 * a client tells of its end by an event as well, which would end the process if nobody heard it.
 */
export function openPool({ url, size, name, log }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: size,
    application_name: name,
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
  });
  const lost = (error: Error): void => log.warn({ reason: error.message, name }, 'a database connection was lost');
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', () => undefined)); // what it was used for fails, and says so
  return pool;
}
