import { type BaseUnits, formatBaseUnits, toBaseUnits } from '../../../money/base-units';
import { parseDecimal } from '../../../money/decimal';

/** Digits of a decimal that survive in a double. */
const SAFE_DIGITS = 15;

/** Cents. */
export const FIAT_DECIMALS = 2;
/** USDC on every chain of the ramp. */
export const USDC_DECIMALS = 6;

/** Largest amount whose digits all survive. */
export const MAX_API_UNITS = 10n ** BigInt(SAFE_DIGITS) - 1n;

/** A JSON number by its digits, which are written unchanged. */
export interface ApiNumber {
  readonly digits: string;
}

const isApiNumber = (value: object): value is ApiNumber =>
  'digits' in value && typeof value.digits === 'string' && Object.keys(value).length === 1;

/** `undefined` when the amount has more digits than survive in a JSON number. */
export function toApiNumber(amount: bigint, decimals: number): ApiNumber | undefined {
  const digits = formatBaseUnits(amount, decimals);
  return amount >= 0n && digits.replace('.', '').replace(/^0+/, '').length <= SAFE_DIGITS ? { digits } : undefined;
}

const TINY = /^\d(?:\.\d+)?e-\d+$/;

/**
 * Parses an amount, a number or its text, to base units, rounded down or up. Digits after the fifteenth of a number are
 * rounding errors of doubles and are ignored. `undefined` for an invalid amount.
 */
export function fromApiNumber(
  value: number | string,
  decimals: number,
  direction: 'up' | 'down' = 'down',
): BaseUnits | undefined {
  const text = typeof value === 'string' ? value : textOf(value);
  if (TINY.test(text)) return toBaseUnits(direction === 'up' ? 1n : 0n); // below a millionth
  if (text.split('.', 1).join().length > SAFE_DIGITS) return undefined;
  return parseDecimal(text, { decimals, rounding: direction });
}

const textOf = (value: number): string => {
  const text = String(value);
  return text.replace('.', '').length > SAFE_DIGITS ? value.toPrecision(SAFE_DIGITS) : text;
};

/** Serializes JSON, with every ApiNumber as a number of exactly its digits. */
export function jsonWithNumbers(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonWithNumbers).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isApiNumber(value)) return value.digits;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonWithNumbers(member)}`).join(',')}}`;
}
