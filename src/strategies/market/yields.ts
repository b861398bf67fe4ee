import { ratioNumber } from '../../money/ratio-number';

const RAY = 10n ** 27n;
const YEAR_SECONDS = 31_536_000;

/** Prices grow in steps, and are rounded: a shorter window does not predict a year. */
export const MIN_WINDOW_SECONDS = 3600;

/** A share price at a time. */
export interface SharePricePoint {
  /** Time of the block. */
  readonly at: Date;
  readonly sharePriceRay: bigint;
}

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

/** Annual yield (APY) as a fraction, when interest at a simple yearly rate compounds each second. `undefined` over 10,000 %. */
export const compoundedYield = (yearlyRateRay: bigint): number | undefined =>
  plausible(Math.expm1(YEAR_SECONDS * Math.log1p(ratioNumber(yearlyRateRay, RAY * BigInt(YEAR_SECONDS)))));

/** Annual yield (APY) as a fraction, from the growth between two prices. `undefined` for less than an hour, and over 10,000 %. */
export function grownYield(from: SharePricePoint, to: SharePricePoint): number | undefined {
  const seconds = secondsBetween(from.at, to.at);
  const growth = fractionalChange(from.sharePriceRay, to.sharePriceRay);
  if (seconds < MIN_WINDOW_SECONDS || growth === undefined) return undefined;
  return plausible(Math.expm1((YEAR_SECONDS / seconds) * Math.log1p(growth)));
}

/** Change as a fraction of the first value: 0.01 for one percent more. `undefined` when the first value is 0. */
export const fractionalChange = (from: bigint, to: bigint): number | undefined =>
  from > 0n ? ratioNumber(to - from, from) : undefined;

/** A yield after fees on profit, in basis points. */
export const yieldAfterFees = (yieldFraction: number, feeBps: number): number => yieldFraction * (1 - feeBps / 10_000);

/** Largest plausible annual yield: 10,000 %. A larger one comes from a one-time payment or a wrong price. */
export const MAX_YIELD = 100;

const plausible = (value: number): number | undefined => (Math.abs(value) <= MAX_YIELD ? value : undefined);

/** Annual yield: as the protocol states it, otherwise from the growth of the share price since the base. */
export function presentYield({
  observation,
  base,
}: {
  readonly observation: SharePricePoint & { readonly yearlyRateRay: bigint | undefined };
  readonly base: SharePricePoint | undefined;
}): number | undefined {
  if (observation.yearlyRateRay !== undefined) return compoundedYield(observation.yearlyRateRay);
  return base === undefined ? undefined : grownYield(base, observation);
}
