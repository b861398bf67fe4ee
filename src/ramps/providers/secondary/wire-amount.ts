import { type BaseUnits, formatBaseUnits, toBaseUnits } from '../../../money/base-units';

/** Digits of a decimal that a JSON number carries without loss, whoever reads it as a double. */
const SAFE_DIGITS = 15;

/** Cents. */
export const FIAT_DECIMALS = 2;
/** Of USDC, wherever the ramp takes it. */
export const USDC_DECIMALS = 6;

/** A JSON number by its digits: it is written as it stands here. */
export interface WireNumber {
  readonly digits: string;
}

const isWireNumber = (value: object): value is WireNumber =>
  'digits' in value && typeof value.digits === 'string' && Object.keys(value).length === 1;

/** `undefined` when the amount has more digits than survive in a JSON number. */
export function toWireNumber(amount: bigint, decimals: number): WireNumber | undefined {
  const digits = formatBaseUnits(amount, decimals);
  return amount >= 0n && digits.replace('.', '').replace(/^0+/, '').length <= SAFE_DIGITS ? { digits } : undefined;
}

const PLAIN = /^(\d{1,15})(?:\.(\d{1,40}))?$/;
const TINY = /^\d(?:\.\d+)?e-\d+$/;

/**
 * Base units of an amount as the ramp writes it: a number, or a text of one. What is less than one unit is left out, or
 * counted as one. What a sum of doubles leaves behind the fifteenth digit of a number is no part of it. `undefined` when it is no amount.
 */
export function fromWireNumber(
  value: number | string,
  decimals: number,
  direction: 'up' | 'down' = 'down',
): BaseUnits | undefined {
  const text = typeof value === 'string' ? value : textOf(value);
  if (TINY.test(text)) return toBaseUnits(direction === 'up' ? 1n : 0n); // below a millionth
  const match = PLAIN.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const isMore = direction === 'up' && /[1-9]/.test(fraction.slice(decimals));
  return toBaseUnits(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')) + (isMore ? 1n : 0n));
}

const textOf = (value: number): string => {
  const shortest = String(value);
  return shortest.replace('.', '').length > SAFE_DIGITS ? value.toPrecision(SAFE_DIGITS) : shortest;
};

/** JSON in which every WireNumber is a number with exactly its digits. */
export function jsonWithNumbers(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonWithNumbers).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isWireNumber(value)) return value.digits;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonWithNumbers(member)}`).join(',')}}`;
}
