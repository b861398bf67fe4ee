import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Prisma, PrismaClient } from './client/client';
import { DEFAULT_TIMEOUTS, openPool, type QueryTimeouts } from './connection-pool';
import { CREDENTIAL_CONNECTIONS, REQUEST_SET_UP, scopePool } from './scoped-pool';
import { separateBatches } from './separate-batches';

/** The database client. Every query of customer data takes the customer's id. */
export type Database = PrismaClient;

/** The client inside `database.$transaction`. */
export type Transaction = Prisma.TransactionClient;

export interface OpenDatabase {
  readonly database: Database;
  /** For statements that the client does not support; it shares its connections. */
  readonly pool: Pool;
  /** All pools of connections: more than one where requests and the service's own work have their own. */
  readonly pools: readonly Pool[];
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly timeouts?: QueryTimeouts;
}

/**
 * Opens the database as the user of the URL, which row-level security exempts: for commands of the operator and for tests. Connects
 * lazily: the first query opens the first connection.
 */
export function openDatabase({ url, poolSize, log, timeouts = DEFAULT_TIMEOUTS }: DatabaseOptions): OpenDatabase {
  const pool = openPool({ url, size: poolSize, name: 'afluente', log, timeouts });
  return openClient(pool, [pool], timeouts);
}

/**
 * Opens the database under row-level security: queries see the rows of the customer of the current work
 * (`runForCustomer`), or of all customers in the service's own work (`runForService`), which has connections of its own.
 */
export function openScopedDatabase({
  url,
  poolSize,
  servicePoolSize,
  log,
  timeouts = DEFAULT_TIMEOUTS,
}: DatabaseOptions & { readonly servicePoolSize: number }): OpenDatabase {
  const options = { url, log, timeouts };
  const services = openPool({ ...options, size: servicePoolSize, name: 'afluente service' });
  const credentials = openPool({ ...options, size: CREDENTIAL_CONNECTIONS, name: 'afluente credentials' });
  const requests = scopePool(openPool({ ...options, size: poolSize, name: 'afluente', setUp: REQUEST_SET_UP }), {
    credentials,
    services,
  });
  const opened = openClient(requests, [requests, services, credentials], timeouts);
  separateBatches(opened.database);
  return opened;
}

function openClient(pool: Pool, pools: readonly Pool[], { statement }: QueryTimeouts): OpenDatabase {
  // Concurrent requests for one row wait for connections and its lock: longer than the client's defaults of 2 and 5 s.
  const transactionOptions = { maxWait: 2 * statement, timeout: 2 * statement };
  const database = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
  return {
    database,
    pool,
    pools,
    async close() {
      await database.$disconnect();
      await Promise.all(pools.map((each) => each.end()));
    },
  };
}
