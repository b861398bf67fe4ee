import { parseDecimal } from '../money/decimal';
import { ONE_DOLLAR, toUsdPrice, type UsdPrice } from '../money/usd';
import type { PriceObservation } from './token-price';

/** A price as a source reports it, before any check. */
export interface ReportedPrice extends Omit<PriceObservation, 'usdE24' | 'asOf' | 'freshUntil'> {
  /** `undefined` when the reported value is no positive decimal. */
  readonly usdE24: bigint | undefined;
  /** Unix seconds of the observation. */
  readonly observedAt: number;
  /** Age above which the price is stale. */
  readonly maxAgeSeconds: number;
}

/** A million millions of dollars: no token is worth more, but a broken source may say so. */
const MAX_PRICE = 10n ** 12n * ONE_DOLLAR;
/** Difference between the clocks of a source and of this machine that is accepted. */
const MAX_SKEW_MS = 60_000;

/** `undefined` for a price that is not positive, implausibly high, stale or of the future. */
export function checkedObservation(reported: ReportedPrice, now: number = Date.now()): PriceObservation | undefined {
  const { usdE24: value, observedAt, maxAgeSeconds, ...rest } = reported;
  const usdE24 = value === undefined || value > MAX_PRICE ? undefined : toUsdPrice(value);
  const at = observedAt * 1000;
  // A comparison with NaN is false, hence not "at > now".
  const isCurrent = at <= now + MAX_SKEW_MS && at >= now - maxAgeSeconds * 1000;
  if (usdE24 === undefined || !isCurrent) return undefined;
  return { ...rest, usdE24, asOf: new Date(Math.min(at, now)), freshUntil: new Date(at + maxAgeSeconds * 1000) };
}

const PRICE_DECIMALS = 24;
/** How JavaScript prints a number below a millionth: `7.2e-7`. */
const SMALL_NUMBER = /^([0-9])(?:\.([0-9]{1,17}))?e-([0-9]{1,2})$/;
const MAX_EXPONENT = 22;

/**
 * The price that a JSON number states, in 10^-24 dollars, from its shortest decimal text. `undefined` for a number that is not
 * finite, not positive, or above 10^21.
 */
export function priceOfNumber(value: number): UsdPrice | undefined {
  const text = String(value);
  const small = SMALL_NUMBER.exec(text);
  if (small === null) return priceOfText(text);
  const [, digit = '', fraction = '', exponent = ''] = small;
  const zeros = Number.parseInt(exponent, 10) - 1;
  return zeros >= MAX_EXPONENT ? undefined : priceOfText(`0.${'0'.repeat(zeros)}${digit}${fraction}`);
}

/** The price in a decimal text, in 10^-24 dollars, rounded down. `undefined` for any other text, such as one with an exponent. */
export function priceOfText(text: string): UsdPrice | undefined {
  const price = parseDecimal(text, { decimals: PRICE_DECIMALS, rounding: 'down' });
  return price === undefined ? undefined : toUsdPrice(price);
}
