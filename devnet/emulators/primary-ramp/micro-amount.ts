import { formatBaseUnits } from '../../../src/money/base-units';
import { invalidField } from './api-error';
import { parseDecimal } from '../../../src/money/decimal';

/** Everything is counted in millionths of a unit. */
export const MICRO_DECIMALS = 6;
export const MICRO = 1_000_000n;
/** Fiat has cents. */
export const CENT = 10_000n;

export function parseMicro(text: string, field: string): bigint {
  const isAmount = /^\d{1,15}(?:\.\d{1,6})?$/.test(text);
  const micro = isAmount ? parseDecimal(text, { decimals: MICRO_DECIMALS, rounding: 'down' }) : undefined;
  if (micro === undefined) throw invalidField(field);
  return micro;
}

/** `2` decimals for fiat, else `6`. */
export function microText(amount: bigint, decimals: 2 | 6): string {
  const [whole = '0', fraction = ''] = formatBaseUnits(amount, MICRO_DECIMALS).split('.');
  return `${whole}.${fraction.padEnd(decimals, '0').slice(0, decimals)}`;
}

/** Tokens that the ramp deals in; not every one on every chain. */
export const RAMP_TOKENS: readonly string[] = ['BRLA', 'BRZ', 'BRS', 'USDC'];

export const isFiat = (currency: string): boolean => currency === 'BRL' || currency === 'USD';
export const decimalsOf = (currency: string): 2 | 6 => (isFiat(currency) ? 2 : 6);

/** Converts from the token's smallest unit to millionths. */
export const toMicro = (units: bigint, decimals: number): bigint =>
  decimals < MICRO_DECIMALS
    ? units * 10n ** BigInt(MICRO_DECIMALS - decimals)
    : units / 10n ** BigInt(decimals - MICRO_DECIMALS);

/** Converts from millionths to the token's smallest unit. */
export const fromMicro = (micro: bigint, decimals: number): bigint =>
  decimals < MICRO_DECIMALS
    ? micro / 10n ** BigInt(MICRO_DECIMALS - decimals)
    : micro * 10n ** BigInt(decimals - MICRO_DECIMALS);
