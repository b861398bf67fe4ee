import type { BaseUnits } from './base-units';

declare const partsPerMillion: unique symbol;

/** Share of an amount in millionths: 5000 is 0.5 %. */
export type PartsPerMillion = bigint & { readonly [partsPerMillion]: true };

const WHOLE = 1_000_000n;
/** The share that is the whole amount. */
export const WHOLE_SHARE = WHOLE as PartsPerMillion;
const SHARE = /^[01](?:\.[0-9]{1,6})?$/;
const DECIMAL_FRACTION = /^(0?)(?:\.([0-9]{1,36}))?$/;

export const MIN_SLIPPAGE = 100n as PartsPerMillion;
export const MAX_SLIPPAGE = 500_000n as PartsPerMillion;

/**
 * Reads a slippage as callers write it: a decimal fraction of 1, such as `0.005`.
 * `undefined` when it is not one or lies outside 0.0001 to 0.5. Digits after the sixth decimal round down,
 * which is the stricter side for the venue.
 */
export function parseSlippage(text: string): PartsPerMillion | undefined {
  const match = DECIMAL_FRACTION.exec(text);
  if (match?.[2] === undefined) return undefined;
  const digits = BigInt(match[2].padEnd(36, '0'));
  if (digits < MIN_SLIPPAGE * 10n ** 30n || digits > MAX_SLIPPAGE * 10n ** 30n) return undefined;
  return (digits / 10n ** 30n) as PartsPerMillion;
}

/** Decimal text of a share: `5000` is `0.005`. */
export function formatSlippage(share: PartsPerMillion): string {
  return `0.${share.toString().padStart(6, '0')}`.replace(/0+$/, '');
}

/** Parses a share from 0 to 1 with at most six decimals, such as `0.1`. `undefined` for any other text. */
export function parseShare(text: string): PartsPerMillion | undefined {
  if (!SHARE.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  const share = BigInt(whole + fraction.padEnd(6, '0'));
  return share <= WHOLE ? (share as PartsPerMillion) : undefined;
}

/** The share of an amount, rounded down. */
export const partOf = (amount: bigint, share: PartsPerMillion): bigint => (amount * share) / WHOLE;

/** `amount` less the share, rounded down: the least that a seller of `amount` accepts. */
export const subtractShare = (amount: BaseUnits, share: PartsPerMillion): BaseUnits =>
  ((amount * (WHOLE - share)) / WHOLE) as BaseUnits;

/** `amount` plus the share, rounded up: the most that a buyer of `amount` pays. */
export const addShare = (amount: BaseUnits, share: PartsPerMillion): BaseUnits =>
  ((amount * (WHOLE + share) + WHOLE - 1n) / WHOLE) as BaseUnits;
