import { RAY } from '../../money/ray';
import { ratioNumber } from '../../money/ratio-number';
import { formatUsd, formatUsdPrice, type UsdPrice, usdValue } from '../../money/usd';
import { usdNumber } from '../../quotes/usd-number';
import type { StoredMarket } from '../market/observation';
import { REFRESH_SECONDS } from '../market/refresh-markets';
import {
  presentYield,
  fractionalChange,
  grownYield,
  type SharePricePoint,
  secondsBetween,
  yieldAfterFees,
} from '../market/yields';
import type { Strategy } from '../strategy';
import { type ProtocolName, type StrategyRow, STOCKS } from '../strategy-row';

/** The fees on a strategy, in basis points. */
export interface StrategyFeeRates {
  /** Share of the amount of a deposit. */
  readonly entryBps: number;
  /** Share of the profit at a withdrawal. */
  readonly performanceBps: number;
  /** Further share of the profit at a withdrawal. */
  readonly markupBps: number;
}

/**
 * Warnings about market data:
 *
 * - `STALE`: the market was not read for three intervals, or the block that was read is older.
 * - `NEGATIVE_YIELD`: the share price falls.
 * - `UNCONFIRMED_CHANGE`: the last reading is more than five times higher or lower than the accepted one. It is shown once the
 *   next reading confirms it.
 * - `NEARLY_EMPTY`: the deposits of a vault are below one underlying token. The share price may be an effect of rounding, not of
 *   yield.
 */
export const MARKET_FLAGS = ['STALE', 'NEGATIVE_YIELD', 'UNCONFIRMED_CHANGE', 'NEARLY_EMPTY'] as const;
export type MarketFlag = (typeof MARKET_FLAGS)[number];

/** Annual yields (APY) as fractions: 0.04 is 4 %. `undefined` without enough observations. */
export interface Yields {
  readonly grossAPY: number | undefined;
  readonly netAPY: number | undefined;
  readonly avgApy: number | undefined;
  readonly inceptionApy: number | undefined;
}

const E18 = 10n ** 18n;
const STALE_SECONDS = 3 * REFRESH_SECONDS;
const DAY_SECONDS = 86_400;
const DAY_TOLERANCE_SECONDS = 7200;

export function yieldsOf({ row }: Strategy, market: StoredMarket | undefined, fees: StrategyFeeRates): Yields {
  // The price of a stock rises and falls: that is no yield.
  if (market === undefined || row.protocol === STOCKS) return NO_YIELDS;
  const grossAPY = presentYield(market);
  const { rateSumE18, rateSeconds } = market;
  return {
    grossAPY,
    netAPY: netYield(grossAPY, fees),
    avgApy: rateSeconds > 0n ? ratioNumber(rateSumE18, rateSeconds * E18) : undefined,
    inceptionApy: yieldSinceInception(row, market),
  };
}

const NO_YIELDS: Yields = { grossAPY: undefined, netAPY: undefined, avgApy: undefined, inceptionApy: undefined };

export const netYield = (
  grossAPY: number | undefined,
  { performanceBps, markupBps }: Pick<StrategyFeeRates, 'performanceBps' | 'markupBps'>,
): number | undefined => (grossAPY === undefined ? undefined : yieldAfterFees(grossAPY, performanceBps + markupBps));

/**
 * The index of an asset whose market states a rate began at 1 on its first day. No vault states the price at which it began, and
 * the first day of an asset that was listed later is unknown: the first observation by this deployment, at least a day ago,
 * stands in for them.
 */
function yieldSinceInception(
  { startDate, isMarketStart = false }: StrategyRow,
  { observation, first }: StoredMarket,
): number | undefined {
  const isObserved = observation.yearlyRateRay === undefined || isMarketStart;
  const begin: SharePricePoint = isObserved ? first : { at: new Date(startDate), sharePriceRay: RAY };
  return secondsBetween(begin.at, observation.at) < DAY_SECONDS ? undefined : grownYield(begin, observation);
}

/** Flags of a market at a time. */
export function marketFlags(market: StoredMarket, now: Date): readonly MarketFlag[] {
  const flags: MarketFlag[] = [];
  if (isStale(market, now)) flags.push('STALE');
  if ((presentYield(market) ?? 0) < 0) flags.push('NEGATIVE_YIELD');
  if (market.doubtful !== undefined) flags.push('UNCONFIRMED_CHANGE');
  return flags;
}

/** The flags of a strategy: the price of a stock may fall, which is no yield. */
export function flagsOf(strategy: Strategy, market: StoredMarket, now: Date): readonly MarketFlag[] {
  const flags = marketFlags(market, now).filter(
    (flag) => flag !== 'NEGATIVE_YIELD' || strategy.row.protocol !== STOCKS,
  );
  return isNearlyEmpty(strategy, market) ? [...flags, 'NEARLY_EMPTY'] : flags;
}

const VAULTS: ReadonlySet<ProtocolName> = new Set(['erc4626', 'erc7540']);

/** The price of a vault is the ratio of its assets to its shares; other protocols have an index or a price. */
const isNearlyEmpty = ({ row, underlying }: Strategy, { observation }: StoredMarket): boolean =>
  VAULTS.has(row.protocol) && observation.tvl < 10n ** BigInt(underlying.decimals);

/** A node that is behind returns old blocks at once. */
export const isStale = ({ observation: { at, observedAt } }: StoredMarket, now: Date): boolean =>
  [at, observedAt].some((time) => secondsBetween(time, now) > STALE_SECONDS);

/** Whether strategies may be compared by the figures of a market. */
export const isReliable = (market: StoredMarket, now: Date): boolean =>
  market.doubtful === undefined && !isStale(market, now);

/** Changes of the last 24 hours as fractions. `undefined` without an observation within two hours of a day before. */
export function dayChanges({ observation, base }: StoredMarket): {
  readonly sharePrice: number | undefined;
  readonly tvl: number | undefined;
} {
  if (base === undefined || !isDayBefore(base, observation)) return { sharePrice: undefined, tvl: undefined };
  return {
    sharePrice: fractionalChange(base.sharePriceRay, observation.sharePriceRay),
    tvl: base.tvl === undefined ? undefined : fractionalChange(base.tvl, observation.tvl),
  };
}

const isDayBefore = ({ at }: SharePricePoint, observation: SharePricePoint): boolean =>
  Math.abs(secondsBetween(at, observation.at) - DAY_SECONDS) <= DAY_TOLERANCE_SECONDS;

/** Assets for one share, both whole tokens. */
export const sharePriceNumber = ({ underlying, receipt }: Strategy, sharePriceRay: bigint): number =>
  ratioNumber(sharePriceRay * 10n ** BigInt(receipt.decimals), RAY * 10n ** BigInt(underlying.decimals));

/** US dollars of an amount of the underlying asset. */
export const underlyingUsd = (
  { underlying }: Strategy,
  amount: bigint,
  price: UsdPrice | undefined,
): number | undefined =>
  price === undefined ? undefined : usdNumber(formatUsd(usdValue(amount, underlying.decimals, price)));

export const usdRate = (price: UsdPrice | undefined): number | undefined =>
  price === undefined ? undefined : usdNumber(formatUsdPrice(price));
