import { type Client, Pool, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { DatabaseConnectionError } from './database-outage';

export interface PoolOptions {
  readonly url: string;
  /** Maximum number of open connections. */
  readonly size: number;
  /** Application name of the connections. */
  readonly name: string;
  readonly log: Pick<Logger, 'warn'>;
  readonly timeouts?: QueryTimeouts | undefined;
  /** Statements that each new connection runs. */
  readonly setUp?: string;
}

/** Time limits in milliseconds. */
export interface QueryTimeouts {
  readonly statement: number;
  /** Limits only the wait for a lock. */
  readonly lock: number;
  /** Longer than that of the statement: it only ends queries to a server that does not respond at all. */
  readonly query: number;
}

/** Time for a new connection, and for a wait until one is free. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Connections are replaced from time to time, so that they follow a database that moved. */
const MAX_LIFETIME_SECONDS = 1800;

/** All limits for this timeout of a statement in milliseconds: with 5,000, a lock has 2,000 and a query 8,000. */
export const queryTimeouts = (statementMs: number): QueryTimeouts => ({
  statement: statementMs,
  lock: Math.ceil(statementMs * 0.4),
  query: Math.ceil(statementMs * 1.6),
});
export const DEFAULT_TIMEOUTS = queryTimeouts(5000);

/** Limits that the server enforces. Sent as a statement, because poolers refuse them as parameters of the connection. */
const sessionSettings = ({ statement, lock }: QueryTimeouts): string =>
  Object.entries({
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  })
    .map(([name, milliseconds]) => `SET ${name} = ${String(milliseconds)}`)
    .join('; ');

/** SQLSTATEs after which a connection is useless although it is open: the server shuts down or has become read-only. */
const LOST_STATES = /^(?:08...|57P0[1-5]|25006)$/;

/**
 * Opens a pool of database connections, each made on demand. A lost connection is logged and replaced. Its client also emits
 * an error event, which would end the process without a listener. No query waits longer than its timeout for a server that
 * does not respond.
 */
export function openPool({ url, size, name, log, timeouts = DEFAULT_TIMEOUTS, setUp }: PoolOptions): Pool {
  const settings = [sessionSettings(timeouts), setUp ?? ''].join('; ');
  const pool = new Pool({
    connectionString: url,
    max: size,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: timeouts.query,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    // The pool waits for the promise, although the declaration of its type omits it.
    onConnect: (client) => client.query(settings) as unknown as undefined,
  });
  const lost = (error: Error): void => log.warn({ reason: error.message, name }, 'a database connection was lost');
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', () => undefined)); // the query on it rejects
  dropUselessConnections(pool);
  return withConnectionErrors(pool);
}

/** Parts of a client that its type does not declare. */
interface ClientState {
  readonly readyForQuery?: boolean;
  readonly connection?: {
    on(event: 'errorMessage', listener: (error: { readonly code?: string }) => void): void;
    on(event: 'readyForQuery', listener: () => void): void;
  };
}

/**
 * Closes connections that are returned to the pool in a useless state: a query is still running on them after its timeout,
 * or the server has reported that it is going away. The next query on them would wait or fail.
 *
 * A statement that failed is over, although the server's message that it is ready may arrive a moment later. A connection within a
 * transaction would run the next query in it.
 */
function dropUselessConnections(pool: Pool): void {
  const useless = new WeakSet<object>();
  const failed = new WeakSet<object>();
  pool.on('connect', (client) => {
    const { connection } = client as ClientState;
    connection?.on('readyForQuery', () => void failed.delete(client));
    connection?.on('errorMessage', ({ code }) => {
      failed.add(client);
      if (LOST_STATES.test(code ?? '')) useless.add(client);
    });
  });
  pool.on('release', (_error: unknown, client: PoolClient) => {
    const isIdle = (client as ClientState).readyForQuery === true || failed.has(client);
    const isInTransaction = client.getTransactionStatus() !== 'I';
    if (!isIdle || isInTransaction || useless.has(client)) void (client as unknown as Client).end();
  });
}

/** Called with an error, or with a client and its release function. */
type ConnectCallback = (error?: Error, client?: PoolClient, release?: (error?: Error | boolean) => void) => void;

/** Failures to get a connection become `DatabaseConnectionError`s, which distinguishes them from failures of other services. */
function withConnectionErrors(pool: Pool): Pool {
  const connect = pool.connect.bind(pool) as (callback: ConnectCallback) => void;
  const named = (callback: ConnectCallback): void =>
    connect((error, ...connected) => callback(error && connectionError(error), ...connected));
  const connectNamed = (callback?: ConnectCallback): Promise<PoolClient> | undefined => {
    if (callback !== undefined) {
      named(callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      named((error, client) => (client === undefined ? reject(error ?? connectionError()) : resolve(client)));
    });
  };
  return Object.assign(pool, { connect: connectNamed });
}

/** A host with several addresses fails with an error whose message is empty; its code says why. */
function connectionError(cause?: Error & { readonly code?: string }): DatabaseConnectionError {
  const reason = cause?.message === '' ? cause.code : cause?.message;
  return new DatabaseConnectionError(`no database connection: ${reason ?? 'unknown reason'}`, { cause });
}
