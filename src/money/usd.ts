import { formatBaseUnits } from './base-units';
import { parseDecimal } from './decimal';

declare const usdPrice: unique symbol;
declare const microUsd: unique symbol;

/** US dollars for one whole token, in 10^-24 dollars. Positive. Never a float. */
export type UsdPrice = bigint & { readonly [usdPrice]: true };

/** US dollars in millionths. Negative for a gain among the costs of a trade. Never a float. */
export type MicroUsd = bigint & { readonly [microUsd]: true };

const PRICE_DECIMALS = 24;
const MICRO_DECIMALS = 6;

/** Price of a token that is worth one dollar. */
export const ONE_DOLLAR = (10n ** BigInt(PRICE_DECIMALS)) as UsdPrice;

/** Brands 10^-24 dollars as a price. `undefined` for a value that is not positive: such a token has no price. */
export const toUsdPrice = (value: bigint): UsdPrice | undefined => (value > 0n ? (value as UsdPrice) : undefined);

/** Brands millionths of a dollar, without a check. */
export const toMicroUsd = (value: bigint): MicroUsd => value as MicroUsd;

/** Value of base units of a token with `decimals` decimals, rounded down: customers never see more than they get. */
export const usdValue = (amount: bigint, decimals: number, price: UsdPrice): MicroUsd =>
  toMicroUsd((amount * price) / unitOf(decimals));

/**
 * Cost in base units of a token with `decimals` decimals, rounded up: a fee is never shown too small, and a gain, which
 * is a negative cost, never too large.
 */
export function usdCost(amount: bigint, decimals: number, price: UsdPrice): MicroUsd {
  const [product, unit] = [amount * price, unitOf(decimals)];
  // The division of bigints rounds towards zero, which is up for a negative product.
  return toMicroUsd((product > 0n ? product + unit - 1n : product) / unit);
}

/** A millionth of a dollar, in the unit of base units times price. */
const unitOf = (decimals: number): bigint => 10n ** BigInt(decimals + PRICE_DECIMALS - MICRO_DECIMALS);

/** Worth of an amount in millionths of another currency, rounded down. `price`: US dollars for one whole unit of it. */
export const usdWorth = (usd: MicroUsd, price: UsdPrice): bigint => (usd * ONE_DOLLAR) / price;

export const sumUsd = (amounts: readonly MicroUsd[]): MicroUsd =>
  toMicroUsd(amounts.reduce<bigint>((sum, amount) => sum + amount, 0n));

const MAX_PLAUSIBLE = 10n ** BigInt(18 + MICRO_DECIMALS);

/** `undefined` for sums beyond 10^18 US dollars: they are meaningless, and exceed the database column. */
export const plausibleUsd = (usd: MicroUsd | undefined): MicroUsd | undefined =>
  usd === undefined || usd > MAX_PLAUSIBLE || usd < -MAX_PLAUSIBLE ? undefined : usd;

/** Exact decimal text in dollars: `0.6`. */
export const formatUsd = (usd: MicroUsd): string => formatBaseUnits(usd, MICRO_DECIMALS);

/** Exact decimal text in dollars with all six decimals: `0.600000`. */
export function formatUsdPadded(usd: MicroUsd): string {
  const [whole = '', fraction = ''] = formatUsd(usd).split('.');
  return `${whole}.${fraction.padEnd(MICRO_DECIMALS, '0')}`;
}

/** Exact decimal text of a price in dollars: `2000.5`. */
export const formatUsdPrice = (price: UsdPrice): string => formatBaseUnits(price, PRICE_DECIMALS);

/** Parses a decimal text in dollars, which may be negative. Digits after the sixth decimal are dropped. */
export function parseUsd(text: string): MicroUsd | undefined {
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  const usd = parseDecimal(digits, { decimals: MICRO_DECIMALS, rounding: 'down' });
  return usd === undefined ? undefined : toMicroUsd(isNegative ? 0n - usd : usd);
}
