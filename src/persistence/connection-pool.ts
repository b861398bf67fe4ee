import { Pool } from 'pg';
import type { Logger } from 'pino';

export interface PoolOptions {
  readonly url: string;
  /** Maximum number of open connections. */
  readonly size: number;
  /** Application name of the connections. */
  readonly name: string;
  readonly log: Pick<Logger, 'warn'>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a pool of database connections, each made on demand. A lost connection is logged and replaced. Its client also emits
 * an error event, which would end the process without a listener.
 */
export function openPool({ url, size, name, log }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: size,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const lost = (error: Error): void => log.warn({ reason: error.message, name }, 'a database connection was lost');
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', () => undefined)); // the query on it rejects
  return pool;
}
