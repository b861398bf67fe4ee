import { formatBaseUnits } from './base-units';

/**
 * US dollars for display, rounded to 6 decimals.
 *
 * - `amount`: base units of a token with `decimals` decimals.
 * - `priceUsd`: dollars for one whole token.
 *
 * A JavaScript number: for display only, never for a decision about money.
 */
export function toUsd(amount: bigint, decimals: number, priceUsd: number): number {
  const tokens = Number.parseFloat(formatBaseUnits(amount, decimals));
  return Math.round(tokens * priceUsd * 1e6) / 1e6;
}
