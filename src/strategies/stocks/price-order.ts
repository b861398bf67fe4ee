import { ratioNumber } from '../../money/ratio-number';
import type { Strategy } from '../strategy';
import type { OrderSide } from './stock-order';

const WHOLE_BPS = 10_000n;
/** Decimals of prices in dollars. */
const PRICE_UNIT = 10n ** 18n;
const CENT = 10n ** 16n;

/** How much worse than its price an order may be filled, in basis points: with a limit price, and without one. */
const LIMIT_SLIPPAGE_BPS = 10;
const MARKET_SLIPPAGE_BPS = 100;

/** The terms of an order. Amounts in base units. */
export interface PricedOrder {
  readonly sellAmount: bigint;
  /** What the order brings at its price. */
  readonly expected: bigint;
  /** Least amount that the order accepts. */
  readonly buyAmount: bigint;
  readonly slippageBps: number;
}

type Decimals = Pick<Strategy, 'underlying' | 'receipt'>;

/** Tokens for an amount of dollars, rounded down. `price`: dollars for one token, with 18 decimals. */
export const tokensFor = ({ underlying, receipt }: Decimals, dollars: bigint, price: bigint): bigint =>
  (dollars * 10n ** BigInt(receipt.decimals) * PRICE_UNIT) / (price * 10n ** BigInt(underlying.decimals));

/** Dollars for an amount of tokens, rounded down. */
export const dollarsFor = ({ underlying, receipt }: Decimals, tokens: bigint, price: bigint): bigint =>
  (tokens * price * 10n ** BigInt(underlying.decimals)) / (PRICE_UNIT * 10n ** BigInt(receipt.decimals));

/** Tokens that bring an amount of dollars, rounded up. */
export const tokensWorth = ({ underlying, receipt }: Decimals, dollars: bigint, price: bigint): bigint => {
  const [numerator, denominator] = [
    dollars * 10n ** BigInt(receipt.decimals) * PRICE_UNIT,
    price * 10n ** BigInt(underlying.decimals),
  ];
  return (numerator + denominator - 1n) / denominator;
};

/** What a sale brings at a price. */
export const outputAt = (
  decimals: Decimals,
  { side, sellAmount }: { readonly side: OrderSide; readonly sellAmount: bigint },
  price: bigint,
): bigint => (side === 'BUY' ? tokensFor : dollarsFor)(decimals, sellAmount, price);

export const priceOfCents = (cents: bigint): bigint => cents * CENT;

interface OrderTerms {
  readonly side: OrderSide;
  readonly sellAmount: bigint;
  /** Price of the market. */
  readonly spotPrice: bigint;
  /** Limit price of the caller; `undefined` for an order at the price of the market. */
  readonly limitCents: bigint | undefined;
}

/** Least and expected amounts of an order: at its limit price or else at that of the market. */
export function priceOrder(decimals: Decimals, { side, sellAmount, spotPrice, limitCents }: OrderTerms): PricedOrder {
  const slippageBps = slippageOf(limitCents);
  const price = limitCents === undefined ? spotPrice : priceOfCents(limitCents);
  const expected = outputAt(decimals, { side, sellAmount }, price);
  const buyAmount = (expected * (WHOLE_BPS - BigInt(slippageBps))) / WHOLE_BPS;
  return { sellAmount, expected, buyAmount, slippageBps };
}

const slippageOf = (limitCents: bigint | undefined): number =>
  limitCents === undefined ? MARKET_SLIPPAGE_BPS : LIMIT_SLIPPAGE_BPS;

/** Distance of a price from another one, in basis points: positive when it is higher. */
export const distanceBps = (price: bigint, from: bigint): number => ratioNumber((price - from) * WHOLE_BPS, from);

/** A price with 18 decimals as a number, for display. */
export const priceNumber = (price: bigint): number => ratioNumber(price, PRICE_UNIT);
