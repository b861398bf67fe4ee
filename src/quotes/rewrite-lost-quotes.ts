import { AsyncResource } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { resolveWithin } from '../async/resolve-within';
import { sleep } from '../async/sleep';
import { runForCustomer } from '../persistence/customer-scope';
import { databaseOutage, isContentionError, isStatementTimeout } from '../persistence/database-outage';
import type { PriceRow, WritePriceRows } from './quote-store';

/** Longer than PostgreSQL delays a commit that does not wait for the disk: three times `wal_writer_delay`, 0.6 s by default. */
const AT_RISK_MS = 2000;
/** Bounds the memory under any load. The newest are kept. */
const MAX_KEPT = 5000;
/** Short: a request for the bytecode of such a quote may come as soon as the database is back. */
const RETRY_MS = 50;
/** The connections of a pool are lost one after another. */
const MOMENT_MS = 20;

/** Longest wait for lost quotes: the database has just responded, so that storing them takes milliseconds. */
const REWRITE_LIMIT_MS = 2000;

/** Resolves when the lost quotes are stored again; `undefined` while none are lost. */
export type PendingRewrite = () => Promise<void> | undefined;

/** Stores price-only quotes, and stores those again that the database lost. */
export interface KeptPriceRows {
  readonly write: WritePriceRows;
  readonly pendingRewrite: PendingRewrite;
}

export interface RewriteOptions {
  readonly pool: Pick<Pool, 'on' | 'ending'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Stores lost quotes again. Price-only quotes are stored without waiting for the disk, so that a crash of the
 * database loses the last ones. This process keeps the last quotes as they were stored, and stores them again when it finds
 * the database lost: a connection ended, or a statement failed because of an outage. A crash of the database and of this
 * process at the same time loses them.
 */
export function withLostQuotesRewritten(write: WritePriceRows, { pool, log }: RewriteOptions): KeptPriceRows {
  const kept = createKeptRows();
  let losses = 0;
  let rewriting: Promise<void> | undefined;

  const writeAndKeep: WritePriceRows = async (rows) => {
    await write(rows);
    kept.add(rows);
  };

  /** Stores the rows of one customer. @throws a failure that does not pass by itself */
  const writeAgain = async (rows: readonly PriceRow[]): Promise<void> => {
    for (;;) {
      const valid = rows.filter(({ deadline }) => deadline.getTime() > Date.now());
      const [first] = valid;
      if (first === undefined || pool.ending) return;
      try {
        await runForCustomer(first.customerId, () => writeAndKeep(valid));
        return;
      } catch (error) {
        if (!isLoss(error)) throw error;
        await sleep(RETRY_MS);
      }
    }
  };

  const rewrite = async (): Promise<void> => {
    for (let handled = -1; handled !== losses;) {
      await sleep(MOMENT_MS);
      handled = losses;
      const rows = kept.takeAll();
      if (rows.length > 0) log.info({ quotes: rows.length }, 'the database was lost: the last quotes are stored again');
      for (const customerId of new Set(rows.map((row) => row.customerId))) {
        await writeAgain(rows.filter((row) => row.customerId === customerId)).catch((error: unknown) => {
          log.warn({ reason: (error as Error).message }, 'quotes were not stored again');
        });
      }
    }
  };

  // The loss may be noticed within the request of one customer, and quotes belong to others.
  const rewriteOutsideOfRequests = AsyncResource.bind(rewrite);
  const onLoss = (): void => {
    losses += 1;
    rewriting ??= rewriteOutsideOfRequests().finally(() => (rewriting = undefined));
  };
  onLostConnection(pool, onLoss);
  return {
    async write(rows) {
      try {
        await writeAndKeep(rows);
      } catch (error) {
        if (isLoss(error)) onLoss();
        throw error;
      }
    },
    pendingRewrite: () => rewriting,
  };
}

/** Reads the rows of a quote. When there are none and this process is about to store lost quotes again, it reads once more after that. */
export async function readAlsoLost<Row>(
  read: () => Promise<readonly Row[]>,
  pendingRewrite?: PendingRewrite,
): Promise<readonly Row[]> {
  // Also before the read: the quotes may be stored between the read and its result.
  const before = pendingRewrite?.();
  const rows = await read();
  const pending = before ?? pendingRewrite?.();
  if (rows.length > 0 || pending === undefined) return rows;
  await resolveWithin(pending, REWRITE_LIMIT_MS);
  return read();
}

/** A statement that waited too long for others says nothing about the database. */
const isLoss = (error: unknown): boolean =>
  databaseOutage(error) !== undefined && !isContentionError(error) && !isStatementTimeout(error);

/** Watches idle connections, also those that were opened before, and the ones that are returned because a statement failed. */
function onLostConnection(pool: Pick<Pool, 'on'>, onLoss: () => void): void {
  const watched = new WeakSet();
  pool.on('release', (error: unknown) => {
    if (isLoss(error)) onLoss();
  });
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    client.on('error', onLoss);
  });
}

/** The rows that the database may not have on its disk yet. */
function createKeptRows() {
  let kept: { readonly row: PriceRow; readonly writtenAt: number }[] = [];
  return {
    add(rows: readonly PriceRow[]): void {
      const writtenAt = performance.now();
      kept.push(...rows.map((row) => ({ row, writtenAt })));
      // Ages are those at the last statement that succeeded: this process may find out late that the database is lost.
      const isOver = (each: { readonly writtenAt: number }): boolean =>
        kept.length > MAX_KEPT || writtenAt - each.writtenAt > AT_RISK_MS;
      while (kept[0] !== undefined && isOver(kept[0])) kept.shift();
    },
    takeAll(): readonly PriceRow[] {
      const rows = kept.map(({ row }) => row);
      kept = [];
      return rows;
    },
  };
}
