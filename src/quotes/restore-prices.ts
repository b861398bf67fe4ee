import { AsyncResource } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { sleep } from '../async/sleep';
import { runForCustomer } from '../persistence/customer-scope';
import { databaseOutage } from '../persistence/database-outage';
import type { NewQuote, SavePriceQuotes } from './quote-store';

/** Longer than PostgreSQL delays a commit that does not wait for the disk: three times `wal_writer_delay`, 0.6 s by default. */
const AT_RISK_MS = 2000;
/** Bounds the memory under any load. The newest are kept. */
const MAX_KEPT = 5000;
const RETRY_MS = 200;
/** The connections of a pool are lost one after another. */
const MOMENT_MS = 20;

/** The quotes of one statement. */
interface WrittenQuotes {
  readonly quotes: readonly NewQuote[];
  readonly writtenAt: number;
}

export interface RestoreOptions {
  readonly pool: Pick<Pool, 'on' | 'ending'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Price-only quotes are stored without waiting for the disk, so that a crash of the database loses the last ones. This process
 * keeps these, and stores them again when it loses a connection. Only a crash of the database and of this process at the
 * same time loses them.
 */
export function restorePrices(save: SavePriceQuotes, { pool, log }: RestoreOptions): SavePriceQuotes {
  let kept: WrittenQuotes[] = [];
  let [lostConnections, isRestoring] = [0, false];

  const saveAndKeep: SavePriceQuotes = async (quotes) => {
    await save(quotes);
    const writtenAt = performance.now();
    kept.push({ quotes, writtenAt });
    // Ages are those at the last statement that succeeded: this process may find out late that the database is lost.
    const isOver = ({ writtenAt: at }: WrittenQuotes): boolean => kept.length > MAX_KEPT || writtenAt - at > AT_RISK_MS;
    while (kept[0] !== undefined && isOver(kept[0])) kept.shift();
  };

  const saveAgain = async (quotes: readonly NewQuote[]): Promise<void> => {
    for (;;) {
      const valid = quotes.filter(({ swap }) => swap.deadline.getTime() > Date.now());
      const [first] = valid;
      if (first === undefined || pool.ending) return;
      try {
        await runForCustomer(first.customerId, () => saveAndKeep(valid));
        return;
      } catch (error) {
        if (databaseOutage(error) === undefined) throw error;
        await sleep(RETRY_MS);
      }
    }
  };

  const restore = async (): Promise<void> => {
    for (let restored = -1; restored !== lostConnections;) {
      await sleep(MOMENT_MS);
      restored = lostConnections;
      const lost = kept;
      kept = [];
      if (lost.length > 0)
        log.info({ statements: lost.length }, 'a connection was lost: the last quotes are stored again');
      for (const { quotes } of lost) {
        await saveAgain(quotes).catch((error: unknown) => {
          log.warn({ reason: (error as Error).message }, 'quotes were not stored again');
        });
      }
    }
  };

  // The event of a connection may belong to the request of a customer, and its quotes to another one.
  const restoreOutsideOfRequests = AsyncResource.bind(restore);
  pool.on('connect', (client) =>
    client.on('error', () => {
      lostConnections += 1;
      if (isRestoring) return;
      isRestoring = true;
      void restoreOutsideOfRequests().finally(() => (isRestoring = false));
    }),
  );
  return saveAndKeep;
}
