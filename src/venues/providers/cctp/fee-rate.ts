import { divideUp } from '../../../money/divide-up';

/** A share of an amount, exactly: `numerator` of `denominator`. */
export interface FeeRate {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const BASIS_POINTS = 10_000n;
/** Non-negative numbers as JSON writes them. */
const NUMBER = /^([0-9]{1,9})(?:\.([0-9]{1,30}))?(?:e([+-]?[0-9]{1,2}))?$/i;

/**
 * Reads a fee in basis points, possibly fractional, without rounding it: `1.3` is 13 of 100,000. `undefined` when it is
 * not a number, or not less than the whole amount.
 */
export function parseFeeRate(basisPoints: number | string): FeeRate | undefined {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(String(basisPoints)) ?? [];
  if (whole === undefined) return undefined;
  const shift = Number.parseInt(exponent, 10) - fraction.length;
  const digits = BigInt(whole + fraction) * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const rate = { numerator: digits, denominator: BASIS_POINTS * (shift < 0 ? 10n ** BigInt(-shift) : 1n) };
  return rate.numerator < rate.denominator ? rate : undefined;
}

/** The fee on an amount of base units, rounded up. */
export const feeOn = (amount: bigint, { numerator, denominator }: FeeRate): bigint =>
  divideUp(amount * numerator, denominator);

/** The smallest amount that leaves exactly `net` after the fee. */
export const grossOf = (net: bigint, { numerator, denominator }: FeeRate): bigint =>
  divideUp(net * denominator, denominator - numerator);
