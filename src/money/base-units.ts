import { z } from 'zod';

declare const baseUnits: unique symbol;

/** Token amount in the token's smallest unit (wei, lamport, cent). Never a decimal, never a float. */
export type BaseUnits = bigint & { readonly [baseUnits]: true };

/** Largest amount that a token contract can hold: 2^256 - 1. */
export const MAX_BASE_UNITS = (2n ** 256n - 1n) as BaseUnits;

const CANONICAL_INTEGER = /^(?:0|[1-9][0-9]{0,77})$/;

/** Brands an integer as an amount of base units, without a check. */
export const toBaseUnits = (value: bigint): BaseUnits => value as BaseUnits;

/**
 * Parses base units in decimal: digits only, no sign, no leading zeros, at most 2^256 - 1. `undefined` for any other text.
 * The length is checked before the conversion, whose time grows with its square.
 */
export function parseBaseUnits(text: string): BaseUnits | undefined {
  if (!CANONICAL_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value <= MAX_BASE_UNITS ? (value as BaseUnits) : undefined;
}

/** Parses base units as `parseBaseUnits` does, in JSON of third parties and of the database. */
export const baseUnitsSchema = z.string().transform((text, context) => {
  const amount = parseBaseUnits(text);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'must be an amount' });
  return z.NEVER;
});

/** Exact decimal text of an amount: `formatUnits(1500000n, 6)` is `1.5`. */
export function formatBaseUnits(amount: bigint, decimals: number): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
