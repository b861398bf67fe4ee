import { maxBigInt } from '../../../money/min-max';
import { RAY, SECONDS_PER_YEAR } from '../../../money/ray';

/** One, as Comets state their index. */
const INDEX_SCALE = 10n ** 15n;
/** One, as Comets state rates and utilization. */
const FACTOR_SCALE = 10n ** 18n;

const multiplyFactor = (value: bigint, factor: bigint): bigint => (value * factor) / FACTOR_SCALE;

/** Curve of the interest that depositors get, by the second: flat below the kink, steep above it. */
export interface SupplyRateCurve {
  readonly utilization: bigint;
  readonly kink: bigint;
  readonly base: bigint;
  readonly slopeLow: bigint;
  readonly slopeHigh: bigint;
}

/** Interest of a second with 18 decimals, as `getSupplyRate` computes it. */
export function supplyRate({ utilization, kink, base, slopeLow, slopeHigh }: SupplyRateCurve): bigint {
  if (utilization <= kink) return base + multiplyFactor(slopeLow, utilization);
  return base + multiplyFactor(slopeLow, kink) + multiplyFactor(slopeHigh, utilization - kink);
}

export interface StoredIndex {
  readonly index: bigint;
  /** Unix seconds of the last accrual. */
  readonly accruedAt: number;
  /** Interest of a second, with 18 decimals. */
  readonly rate: bigint;
}

/** The index at a time in Unix seconds, to the digit as the Comet computes it. */
export const supplyIndexAt = ({ index, accruedAt, rate }: StoredIndex, timestamp: bigint): bigint =>
  index + multiplyFactor(index, rate * maxBigInt(0n, timestamp - BigInt(accruedAt)));

/** What a principal is worth, rounded down. */
export const presentValue = (principal: bigint, index: bigint): bigint => (principal * index) / INDEX_SCALE;

/** The principal of an amount, rounded down. */
export const cometPrincipal = (assets: bigint, index: bigint): bigint => (assets * INDEX_SCALE) / index;

/** Principal that a deposit adds: the Comet rounds the whole deposit of the wallet, not the part. */
export const principalAdded = (principal: bigint, assets: bigint, index: bigint): bigint =>
  cometPrincipal(presentValue(principal, index) + assets, index) - principal;

/** Principal that a withdrawal takes away. */
export const principalRemoved = (principal: bigint, assets: bigint, index: bigint): bigint =>
  principal - cometPrincipal(presentValue(principal, index) - assets, index);

export const indexAsRay = (index: bigint): bigint => (index * RAY) / INDEX_SCALE;

/** Simple interest of a year as a ray. */
export const yearlyRateRay = (rate: bigint): bigint => (rate * SECONDS_PER_YEAR * RAY) / FACTOR_SCALE;
