import { readMarketSamples } from '../market/sample-store';
import type { LatestMarkets } from '../market/latest-markets';
import type { SharePricePoint } from '../market/yields';
import type { Pool } from 'pg';
import type { Database } from '../../persistence/database';
import { isInflow } from './position-state';
import type { PositionEntry } from './position-entry';
import { findEntriesSince } from './entry-store';
import type { PositionOwner } from './position-store';
import { heldSpans, type PriceAt, realizedApy, type ShareChange } from './realized-apy';
import type { PositionReading } from './read-positions';

/** Yields that a wallet has realized over the last days, as fractions of a year. */
export interface RealizedYields {
  readonly realizedApy7d: number | undefined;
  readonly realizedApy30d: number | undefined;
}

export interface YieldDeps {
  readonly database: Database;
  readonly pool: Pick<Pool, 'query'>;
  readonly markets: LatestMarkets;
}

const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3600;
/** A stored price stands for times this near: prices are stored once an hour. */
const NEAR_MS = 2 * 3_600_000;
const NONE: RealizedYields = { realizedApy7d: undefined, realizedApy30d: undefined };

/**
 * The realized yields of positions of one wallet, in their order: growth of the share price over the times in which the wallet
 * held shares. Two queries for all of them.
 */
export async function readRealizedYields(
  deps: YieldDeps,
  {
    owner,
    readings,
    now,
  }: { readonly owner: PositionOwner; readonly readings: readonly PositionReading[]; readonly now: Date },
): Promise<readonly RealizedYields[]> {
  const known = readings.filter(({ state }) => state !== undefined);
  if (known.length === 0) return readings.map(() => NONE);
  const from = new Date(now.getTime() - 30 * DAY_MS);
  const ids = known.map(slugOf);
  const [samples, stored, { byStrategy }] = await Promise.all([
    readMarketSamples(deps, ids, { from: new Date(from.getTime() - NEAR_MS), to: now, stepSeconds: HOUR_SECONDS }),
    findEntriesSince(deps.database, owner, { strategyIds: ids, since: from }),
    deps.markets.read(),
  ]);
  return readings.map((reading) => {
    const slug = slugOf(reading);
    const entries = stored.get(slug);
    if (reading.state === undefined || entries === undefined) return NONE;
    const latest = byStrategy.get(slug)?.observation;
    const points = [...(samples.get(slug) ?? []), ...(latest === undefined ? [] : [latest])];
    const changes = changesOf(reading.state.shares, [...entries, ...reading.recent]);
    const over = (days: number): number | undefined =>
      yieldOver({ from: new Date(now.getTime() - days * DAY_MS), to: now }, changes, nearestPrice(points));
    return { realizedApy7d: over(7), realizedApy30d: over(30) };
  });
}

const slugOf = ({ strategy }: PositionReading): string => strategy.row.id.toLowerCase();

interface SharesOverTime {
  /** Before the first change. */
  readonly before: bigint;
  readonly changes: readonly ShareChange[];
}

/** Shares after each entry, from the present ones backwards. */
function changesOf(sharesNow: bigint, entries: readonly PositionEntry[]): SharesOverTime {
  let shares = sharesNow;
  const changes = [...entries].reverse().map(({ kind, shares: moved = 0n, at, sharePriceRay }): ShareChange => {
    const sharesAfter = shares;
    const before = isInflow(kind) ? shares - moved : shares + moved;
    shares = before > 0n ? before : 0n;
    return { at, sharesAfter, sharePriceRay };
  });
  return { before: shares, changes: changes.reverse() };
}

function yieldOver(
  window: { readonly from: Date; readonly to: Date },
  { before, changes }: SharesOverTime,
  priceAt: PriceAt,
): number | undefined {
  const earlier = changes.filter(({ at }) => at < window.from);
  const sharesBefore = earlier.at(-1)?.sharesAfter ?? before;
  const later = changes.filter(({ at }) => at >= window.from);
  const spans = heldSpans(window, { sharesBefore, changes: later }, priceAt);
  return spans === undefined ? undefined : realizedApy(spans);
}

const nearestPrice =
  (points: readonly SharePricePoint[]): PriceAt =>
  (time) => {
    const distance = ({ at }: SharePricePoint): number => Math.abs(at.getTime() - time.getTime());
    const nearest = points.reduce<SharePricePoint | undefined>(
      (best, point) => (best === undefined || distance(point) < distance(best) ? point : best),
      undefined,
    );
    return nearest === undefined || distance(nearest) > NEAR_MS ? undefined : nearest.sharePriceRay;
  };
