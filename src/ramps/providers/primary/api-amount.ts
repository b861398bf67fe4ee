import { UpstreamError } from '../../../http/upstream-error';
import { type BaseUnits, formatBaseUnits, toBaseUnits } from '../../../money/base-units';
import { parseDecimal } from '../../../money/decimal';

/** The decimals of the smallest unit, and the decimals that the ramp accepts. */
export interface ApiUnit {
  readonly decimals: number;
  readonly precision: number;
}

/** Cents. */
export const FIAT_UNIT: ApiUnit = { decimals: 2, precision: 2 };
const TOKEN_PRECISION = 6;

export const tokenUnit = (decimals: number): ApiUnit => ({
  decimals,
  precision: Math.min(decimals, TOKEN_PRECISION),
});

/** Rounds an amount to the ramp's precision. */
export function roundToApiPrecision(amount: bigint, unit: ApiUnit, direction: 'up' | 'down'): BaseUnits {
  const step = 10n ** BigInt(unit.decimals - unit.precision);
  return toBaseUnits(((direction === 'up' ? amount + step - 1n : amount) / step) * step);
}

/** Decimal text of an amount in the ramp's precision, with all of its decimals. */
export function toApiAmount(amount: bigint, { decimals, precision }: ApiUnit): string {
  const [whole = '0', fraction = ''] = formatBaseUnits(amount, decimals).split('.');
  return precision === 0 ? whole : `${whole}.${fraction.padEnd(precision, '0')}`;
}

/** Parses a decimal text to the smallest unit, rounded down or up. `undefined` for an invalid amount. */
export function fromApiAmount(
  text: string,
  { decimals }: ApiUnit,
  direction: 'up' | 'down' = 'down',
): BaseUnits | undefined {
  return parseDecimal(text, { decimals, rounding: direction });
}

/** @throws UpstreamError */
export function readApiAmount(text: string, unit: ApiUnit, direction: 'up' | 'down' = 'down'): BaseUnits {
  const amount = fromApiAmount(text, unit, direction);
  if (amount === undefined) throw new UpstreamError('an amount is invalid', { kind: 'unreadable' });
  return amount;
}
