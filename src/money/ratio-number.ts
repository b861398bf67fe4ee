import { formatBaseUnits } from './base-units';

/** Digits behind the point. A ratio that is smaller than 10^-24 loses digits. */
const DIGITS = 40;

/**
 * The quotient of two integers as a floating-point number, to some 15 digits. For rates and changes that the API shows as
 * numbers: no amount of money is computed from it.
 */
export const ratioNumber = (numerator: bigint, denominator: bigint): number =>
  Number.parseFloat(formatBaseUnits((numerator * 10n ** BigInt(DIGITS)) / denominator, DIGITS));
