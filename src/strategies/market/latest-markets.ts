import type { Logger } from 'pino';
import { shareRuns } from '../../async/single-flight';
import { describeFailure } from '../../errors/describe-failure';
import { type MarketRow, type MarketStoreDeps, readMarketsSince } from './market-store';
import type { StoredMarket } from './observation';

/** The latest stored state of all markets, kept in this process. */
export interface LatestMarkets {
  /** By the slug of the strategy. At most some seconds old; older while the database does not respond. */
  read(): Promise<MarketsSnapshot>;
}

/** `version` differs after each change, so that what was derived from a snapshot is reused until then. */
export interface MarketsSnapshot {
  readonly byStrategy: ReadonlyMap<string, StoredMarket>;
  readonly version: number;
}

export interface LatestMarketsDeps extends MarketStoreDeps {
  readonly log: Pick<Logger, 'warn'>;
  /** Age in milliseconds from which rows are read again in the background. */
  readonly maxAgeMs?: number;
}

const MAX_AGE_MS = 3000;
/** After a longer pause a request waits for the rows. */
const MAX_SERVED_MS = 30_000;

/** Reads all rows once, and after that the changed ones: lists of any length need no query of their own. */
export function createLatestMarkets(deps: LatestMarketsDeps): LatestMarkets {
  const { log, maxAgeMs = MAX_AGE_MS } = deps;
  const rows = new Map<string, MarketRow>();
  let snapshot: MarketsSnapshot = { byStrategy: rows, version: 0 };
  let newest: Date | undefined;
  let readAt = -Infinity;
  const refresh = shareRuns(async () => {
    const read = await readMarketsSince(deps, newest);
    readAt = performance.now();
    const changed = read.filter(({ strategyId, updatedAt }) => updatedAt > (rows.get(strategyId)?.updatedAt ?? NEVER));
    for (const row of changed) {
      rows.set(row.strategyId, row);
      if (newest === undefined || row.updatedAt > newest) newest = row.updatedAt;
    }
    if (changed.length > 0) snapshot = { byStrategy: rows, version: snapshot.version + 1 };
  });
  /** Without the database, the rows that were read before are served. */
  const refreshKnown = (): Promise<void> =>
    refresh().catch((error: unknown) => {
      readAt = performance.now();
      log.warn({ cause: describeFailure(error) }, 'the market data of strategies could not be loaded');
    });
  return {
    async read() {
      const ageMs = performance.now() - readAt;
      if (newest === undefined && ageMs > maxAgeMs) await refresh();
      else if (ageMs > Math.max(maxAgeMs, MAX_SERVED_MS)) await refreshKnown();
      else if (ageMs > maxAgeMs) void refreshKnown();
      return snapshot;
    },
  };
}

const NEVER = new Date(0);
