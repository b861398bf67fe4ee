import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Prisma, PrismaClient } from './client/client';
import { openPool } from './connection-pool';

/** The client of the database. Every query of a tenant's data takes the customer's id. */
export type Database = PrismaClient;

/** What runs inside `database.$transaction`. */
export type Transaction = Prisma.TransactionClient;

export interface OpenDatabase {
  readonly database: Database;
  /** For statements that the client cannot say; the same connections. */
  readonly pool: Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** A burst of callers on one row queues for connections and for the lock: longer than the client's defaults of 2 and 5 s. */
const PATIENCE = { maxWait: 10_000, timeout: 10_000 };

/** Connects lazily: the first query opens the first connection. */
export function openDatabase({ url, poolSize, log }: DatabaseOptions): OpenDatabase {
  const pool = openPool({ url, size: poolSize, name: 'afluente', log });
  const database = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: PATIENCE });
  return {
    database,
    pool,
    async close() {
      await database.$disconnect();
      await pool.end();
    },
  };
}
