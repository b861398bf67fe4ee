import { ApiError } from './api-error';

const DECIMALS = 6;
/** Millionths of a unit: of what amounts are counted in here. */
export const ONE = 10n ** BigInt(DECIMALS);
/** Millionths of a cent's worth. */
export const CENT = ONE / 100n;

/** Millionths of an amount as it stands in JSON: a number, in units. */
export function microOf(value: unknown, precision: 2 | 6): bigint {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new ApiError(422, 'invalid_amount', 'amount must be a positive number');
  }
  const micro = BigInt(value.toFixed(DECIMALS).replace('.', ''));
  if (precision === 2 && micro % CENT !== 0n) throw new ApiError(422, 'invalid_amount', 'amount has too many decimals');
  return micro;
}

/** The number that stands in JSON for an amount. */
export function numberOf(micro: bigint): number {
  const digits = micro.toString().padStart(DECIMALS + 1, '0');
  return Number.parseFloat(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
}
