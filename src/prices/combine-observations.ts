import { maxBigInt, minBigInt } from '../money/min-max';
import { ONE_DOLLAR, type UsdPrice } from '../money/usd';
import { divideUp } from '../money/divide-up';
import type { PriceFlag, PriceObservation, PriceResult } from './token-price';

const FULL_BPS = 10_000n;
/** Differences between sources, in basis points of the lower price. */
const FLAGGED_SPREAD_BPS = 200n;
const FLAGGED_DOLLAR_SPREAD_BPS = 50n;
const MAX_SPREAD_BPS = 1000n;
/** Bounds within which a dollar token holds its peg. */
const MIN_PEG = ((ONE_DOLLAR * 98n) / 100n) as UsdPrice;
const MAX_PEG = ((ONE_DOLLAR * 102n) / 100n) as UsdPrice;

const isOnPeg = (price: UsdPrice): boolean => price >= MIN_PEG && price <= MAX_PEG;

/** Difference between the highest and the lowest price, in basis points of the lowest, rounded up. */
function spreadBps(prices: readonly [UsdPrice, ...UsdPrice[]]): bigint {
  const lowest = minBigInt(...prices);
  return divideUp((maxBigInt(...prices) - lowest) * FULL_BPS, lowest);
}

/** With an even number the lower one of the two in the middle: the result is an observation, with its source and time. */
function median(observations: readonly PriceObservation[]): PriceObservation | undefined {
  const sorted = observations.toSorted((one, other) => (one.usdE24 < other.usdE24 ? -1 : 1));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** One observation of each origin, because sources with the same origin repeat its mistakes. */
function oncePerOrigin(observations: readonly PriceObservation[]): readonly PriceObservation[] {
  const origins = new Map<string, readonly PriceObservation[]>();
  for (const observation of observations) {
    const origin = originOf(observation);
    origins.set(origin, [...(origins.get(origin) ?? []), observation]);
  }
  return [...origins.values()].flatMap((ofOrigin) => median(ofOrigin) ?? []);
}

/** Third parties that aggregate markets take prices from the same exchanges, and from one another. */
const originOf = ({ kind, source }: PriceObservation): string => (kind === 'api' ? 'markets' : source);

export interface CombinationRules {
  readonly isDollarToken: boolean;
  /** Milliseconds since 1970. Default: the present. */
  readonly now?: number;
}

/**
 * Combines the fresh observations of a token. A peg counts only when no source has measured the price. A daily price of the
 * last day counts as the current ones do; an older one only flags the price, and stands in for current ones when there is none.
 */
export function combineObservations(
  observations: readonly PriceObservation[],
  { isDollarToken, now = Date.now() }: CombinationRules,
): PriceResult {
  const measured = observations.filter(({ kind }) => kind !== 'peg');
  const { candidates, counted, hasCurrent } = relevantObservations(measured, now);
  const chosen = median(oncePerOrigin(candidates));
  if (chosen === undefined) return peggedPrice(observations);
  const spread = spreadBps([chosen.usdE24, ...counted.map(({ usdE24 }) => usdE24)]);
  if (spread > MAX_SPREAD_BPS) return { missing: 'SOURCES_DISAGREE' };
  const maximum = isDollarToken ? FLAGGED_DOLLAR_SPREAD_BPS : FLAGGED_SPREAD_BPS;
  const isSingle = oncePerOrigin(counted).length < 2;
  const deviates = spread > maximum || measured.some(({ usdE24 }) => spreadBps([chosen.usdE24, usdE24]) > maximum);
  const flags = new Set<PriceFlag>(chosen.flags);
  for (const flag of comparedFlags({ isSingle, deviates })) flags.add(flag);
  for (const flag of ownFlags(chosen, isDollarToken)) flags.add(flag);
  const agreement = Number.parseInt((FULL_BPS - spread).toString(), 10);
  const confidenceBps = Math.min(chosen.confidenceBps, agreement);
  const isConfirmed = hasCurrent && !isSingle && spread <= maximum;
  return { price: { ...chosen, confidenceBps, flags: [...flags], isConfirmed } };
}

/** From one close to the next, with the time until the source publishes it. */
const DAILY_MS = 26 * 3_600_000;

const isOfLastDay = ({ isDaily, asOf }: PriceObservation, now: number): boolean =>
  isDaily !== true || now - asOf.getTime() <= DAILY_MS;

interface RelevantObservations {
  /** One of them is the price. */
  readonly candidates: readonly PriceObservation[];
  /** They are compared with it. */
  readonly counted: readonly PriceObservation[];
  readonly hasCurrent: boolean;
}

function relevantObservations(measured: readonly PriceObservation[], now: number): RelevantObservations {
  const current = measured.filter(({ isDaily }) => isDaily !== true);
  if (current.length === 0) return { candidates: measured, counted: measured, hasCurrent: false };
  const counted = measured.filter((observation) => isOfLastDay(observation, now));
  return { candidates: current, counted, hasCurrent: true };
}

interface Comparison {
  readonly isSingle: boolean;
  readonly deviates: boolean;
}

const comparedFlags = ({ isSingle, deviates }: Comparison): readonly PriceFlag[] => [
  ...(isSingle ? (['SINGLE_SOURCE'] as const) : []),
  ...(deviates ? (['DEVIATION'] as const) : []),
];

const ownFlags = ({ usdE24, isDaily }: PriceObservation, isDollarToken: boolean): readonly PriceFlag[] => [
  ...(isDollarToken && !isOnPeg(usdE24) ? (['OFF_PEG'] as const) : []),
  ...(isDaily === true ? (['LAST_CLOSE'] as const) : []),
];

function peggedPrice(observations: readonly PriceObservation[]): PriceResult {
  const [peg] = observations;
  if (peg === undefined) return { missing: 'NO_SOURCE' };
  return { price: { ...peg, flags: ['PEG_UNCHECKED'], isConfirmed: false } };
}

/** The worth of a dollar token from which prices in pools are derived. */
export interface DollarAnchor {
  readonly usdE24: UsdPrice;
  /** `undefined` when two independent sources confirm the peg within 0.5 %. */
  readonly flag: PriceFlag | undefined;
}

/**
 * One dollar, unless two independent sources agree that the token has lost its peg. A single one, however wrong, never
 * changes the anchor, because it would move the prices of all tokens of the chain.
 */
export function dollarAnchor(observations: readonly PriceObservation[]): DollarAnchor {
  const measured = oncePerOrigin(observations.filter(({ kind }) => kind !== 'peg'));
  const middle = median(measured);
  const agreeing = measured.filter(
    ({ usdE24 }) => middle !== undefined && spreadBps([usdE24, middle.usdE24]) <= FLAGGED_DOLLAR_SPREAD_BPS,
  );
  if (agreeing.length < 2 || agreeing.length * 2 <= measured.length) {
    return { usdE24: ONE_DOLLAR, flag: 'ANCHOR_UNCONFIRMED' };
  }
  const worth = nearestToPeg(agreeing.map(({ usdE24 }) => usdE24));
  if (!isOnPeg(worth)) return { usdE24: worth, flag: 'OFF_PEG' };
  const isConfirmed = spreadBps([worth, ONE_DOLLAR]) <= FLAGGED_DOLLAR_SPREAD_BPS;
  return { usdE24: ONE_DOLLAR, flag: isConfirmed ? undefined : 'ANCHOR_UNCONFIRMED' };
}

/** The price that moves others least. */
const nearestToPeg = (prices: readonly UsdPrice[]): UsdPrice =>
  prices.reduce((nearest, price) => (distance(price) < distance(nearest) ? price : nearest));

const distance = (price: UsdPrice): bigint => (price > ONE_DOLLAR ? price - ONE_DOLLAR : ONE_DOLLAR - price);
