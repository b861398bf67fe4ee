import { UpstreamError } from '../../../http/upstream-error';
import { type BaseUnits, formatBaseUnits, toBaseUnits } from '../../../money/base-units';

/** How an amount is counted: by us, in the smallest unit, and by the ramp, which takes decimals up to a point. */
export interface WireUnit {
  readonly decimals: number;
  readonly precision: number;
}

/** Cents. */
export const FIAT_UNIT: WireUnit = { decimals: 2, precision: 2 };
const TOKEN_PRECISION = 6;

export const tokenUnit = (decimals: number): WireUnit => ({
  decimals,
  precision: Math.min(decimals, TOKEN_PRECISION),
});

/** The nearest amount, in the direction given, that the ramp can tell apart from others. */
export function roundToWire(amount: bigint, unit: WireUnit, direction: 'up' | 'down'): BaseUnits {
  const step = 10n ** BigInt(unit.decimals - unit.precision);
  return toBaseUnits(((direction === 'up' ? amount + step - 1n : amount) / step) * step);
}

/** Decimal text of an amount that the ramp can tell apart, with all the decimals of its precision. */
export function toWireAmount(amount: bigint, { decimals, precision }: WireUnit): string {
  const [whole = '0', fraction = ''] = formatBaseUnits(amount, decimals).split('.');
  return precision === 0 ? whole : `${whole}.${fraction.padEnd(precision, '0')}`;
}

const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?$/;

/** Smallest units of a decimal text, what is less than one left out, or counted as one. `undefined` when it is none. */
export function fromWireAmount(
  text: string,
  { decimals }: WireUnit,
  direction: 'up' | 'down' = 'down',
): BaseUnits | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const isMore = direction === 'up' && /[1-9]/.test(fraction.slice(decimals));
  return toBaseUnits(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')) + (isMore ? 1n : 0n));
}

/** @throws UpstreamError */
export function readWireAmount(text: string, unit: WireUnit, direction: 'up' | 'down' = 'down'): BaseUnits {
  const amount = fromWireAmount(text, unit, direction);
  if (amount === undefined) throw new UpstreamError('an amount is invalid', { kind: 'unreadable' });
  return amount;
}
