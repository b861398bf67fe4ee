import { type BaseUnits, toBaseUnits } from './base-units';

const DECIMAL = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

export interface DecimalFormat {
  /** Decimals of the smallest unit. */
  readonly decimals: number;
  /** What happens to a fraction of the smallest unit. */
  readonly rounding: 'up' | 'down';
}

/**
 * Parses a decimal text such as `1.50` to smallest units. `undefined` for any other text, with a sign or an exponent for
 * example.
 */
export function parseDecimal(text: string, { decimals, rounding }: DecimalFormat): BaseUnits | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const isRoundedUp = rounding === 'up' && /[1-9]/.test(fraction.slice(decimals));
  const digits = whole + fraction.slice(0, decimals).padEnd(decimals, '0');
  return toBaseUnits(BigInt(digits) + (isRoundedUp ? 1n : 0n));
}
