import { z } from 'zod';
import { minBigInt } from './min-max';

/** Numbers as JSON writes them. */
const RATE = /^-?([0-9]{1,9})(?:\.([0-9]{1,40}))?(?:e([+-]?[0-9]{1,2}))?$/i;

/** Decimals of a fraction of 1 whose last one is a basis point. */
const PLACES = 4;
/** Keeps a meaningless rate within the 32 bits of an Int. */
const MAX_BASIS_POINTS = 1_000_000_000n;

/**
 * Basis points of a fraction of 1 without its sign, rounded to the nearest, a half up: `basisPointsOf('-0.00285')` is 29.
 * The decimals of the rate are read exactly. `undefined` when it is not a number.
 */
export function basisPointsOf(rate: number | string): number | undefined {
  const [, whole, fraction = '', exponent = '0'] = RATE.exec(String(rate)) ?? [];
  if (whole === undefined) return undefined;
  const shift = PLACES + Number.parseInt(exponent, 10) - fraction.length;
  const [raised, lowered] = [10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))];
  const rounded = (BigInt(whole + fraction) * raised + lowered / 2n) / lowered;
  return Number.parseInt(minBigInt(rounded, MAX_BASIS_POINTS).toString(), 10);
}

/** Parses rates as `basisPointsOf` does, in JSON of third parties. `undefined` for a rate that is null or empty. */
export const basisPointsSchema = z.union([z.number(), z.string(), z.null()]).transform((rate, context) => {
  if (rate === null || rate === '') return undefined;
  const bps = basisPointsOf(rate);
  if (bps !== undefined) return bps;
  context.addIssue({ code: 'custom', message: 'must be a rate' });
  return z.NEVER;
});
