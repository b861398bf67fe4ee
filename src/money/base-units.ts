declare const baseUnits: unique symbol;

/** Token amount in the token's smallest unit (wei, lamport, cent). Never a decimal, never a float. */
export type BaseUnits = bigint & { readonly [baseUnits]: true };

/** Largest amount that a token contract can hold: 2^256 - 1. */
export const MAX_BASE_UNITS = (2n ** 256n - 1n) as BaseUnits;

const CANONICAL_INTEGER = /^(?:0|[1-9][0-9]{0,77})$/;

/** Brands an integer that is already known to be an amount of base units. */
export const toBaseUnits = (value: bigint): BaseUnits => value as BaseUnits;

/**
 * Reads an amount of base units as callers write it: decimal digits, no sign, no leading zeros, at most 2^256 - 1.
 * `undefined` when the text is anything else. The length is checked before the conversion, which is quadratic.
 */
export function parseBaseUnits(text: string): BaseUnits | undefined {
  if (!CANONICAL_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value <= MAX_BASE_UNITS ? (value as BaseUnits) : undefined;
}

/** Exact decimal text of an amount: `formatUnits(1500000n, 6)` is `1.5`. */
export function formatBaseUnits(amount: bigint, decimals: number): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
