import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Prisma, PrismaClient } from './client/client';
import { openPool, type QueryTimeouts } from './connection-pool';

/** The database client. Every query of customer data takes the customer's id. */
export type Database = PrismaClient;

/** The client inside `database.$transaction`. */
export type Transaction = Prisma.TransactionClient;

export interface OpenDatabase {
  readonly database: Database;
  /** For statements that the client does not support; it shares its connections. */
  readonly pool: Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly timeouts?: QueryTimeouts;
}

/** Concurrent requests for one row wait for connections and its lock: longer than the client's defaults of 2 and 5 s. */
const TIMEOUTS = { maxWait: 10_000, timeout: 10_000 };

/** Connects lazily: the first query opens the first connection. */
export function openDatabase({ url, poolSize, log, timeouts }: DatabaseOptions): OpenDatabase {
  const pool = openPool({ url, size: poolSize, name: 'afluente', log, timeouts });
  const database = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TIMEOUTS });
  return {
    database,
    pool,
    async close() {
      await database.$disconnect();
      await pool.end();
    },
  };
}
