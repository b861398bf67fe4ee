import { parseDecimal } from '../../src/money/decimal';
import { type MicroUsd, parseUsd, toUsdPrice, type UsdPrice } from '../../src/money/usd';

/** An amount of US dollars, from its decimal text. */
export const usd = (dollars: string): MicroUsd => parseUsd(dollars)!;

/** Price of a whole token in US dollars, from its decimal text. */
export const usdPrice = (dollars: string): UsdPrice =>
  toUsdPrice(parseDecimal(dollars, { decimals: 24, rounding: 'down' })!)!;
