import type { Address } from 'viem';
import { anySignal } from '../../async/any-signal';
import type { Strategy } from '../strategy';
import type { OrderBook } from './cow/order-book';
import { tokensFor } from './price-order';
import type { OrderSide } from './stock-order';

/** Whether the order book quotes an order of one side now. Amounts in base units. */
export interface OrderBookSideView {
  readonly canOpenOrder: boolean;
  readonly retryable: boolean;
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Type of the error of the order book. */
  readonly errorType: string | undefined;
  readonly probeSellAmount: string;
  readonly probeBuyAmount: string | undefined;
}

export interface OrderBookView {
  readonly requestLend: OrderBookSideView;
  readonly requestWithdraw: OrderBookSideView;
}

/** Whole dollars of a probe. */
const PROBE_DOLLARS = 100n;
const PROBE_TIMEOUT_MS = 3000;
/** Seller of the probes: their result, which requests share, does not depend on the wallet of one of them. */
const PROBE_WALLET: Address = '0x000000000000000000000000000000000000dEaD';
const REFUSED = 'ORDER_BOOK_REFUSED';

interface ProbeDeps {
  readonly book: OrderBook;
  /** Time limit of both probes, in milliseconds; 3,000 by default. */
  readonly probeTimeoutMs?: number | undefined;
}

export interface Probe {
  readonly strategy: Strategy;
  /** Dollars for one token, with 18 decimals; `undefined` when the issuer has no price. */
  readonly price: bigint | undefined;
  readonly signal: AbortSignal;
}

/** Requests a price of the order book for a small order of each side. Never throws. */
export async function probeOrderBook(
  { book, probeTimeoutMs = PROBE_TIMEOUT_MS }: ProbeDeps,
  probe: Probe,
): Promise<OrderBookView> {
  const signal = anySignal(probe.signal, AbortSignal.timeout(probeTimeoutMs));
  const [requestLend, requestWithdraw] = await Promise.all(
    (['BUY', 'SELL'] as const).map((side) => probeSide(book, { ...probe, signal }, side)),
  );
  return { requestLend: requestLend ?? NO_RESULT, requestWithdraw: requestWithdraw ?? NO_RESULT };
}

const NO_RESULT: OrderBookSideView = {
  canOpenOrder: false,
  retryable: true,
  code: REFUSED,
  message: undefined,
  errorType: undefined,
  probeSellAmount: '0',
  probeBuyAmount: undefined,
};

async function probeSide(
  book: OrderBook,
  { strategy, price, signal }: Probe,
  side: OrderSide,
): Promise<OrderBookSideView> {
  const { underlying, receipt } = strategy;
  const dollars = PROBE_DOLLARS * 10n ** BigInt(underlying.decimals);
  const tokens = price === undefined ? 10n ** BigInt(receipt.decimals) : tokensFor(strategy, dollars, price);
  const sellAmount = side === 'BUY' ? dollars : tokens;
  const [sold, bought] = side === 'BUY' ? [underlying, receipt] : [receipt, underlying];
  const [sellToken, buyToken] = [sold.address as Address, bought.address as Address];
  const quote = await book.quote({ sellToken, buyToken, sellAmount, from: PROBE_WALLET }, signal);
  const own = { ...NO_RESULT, probeSellAmount: sellAmount.toString() };
  if ('buyAmount' in quote) {
    return { ...own, canOpenOrder: true, code: undefined, probeBuyAmount: quote.buyAmount.toString() };
  }
  return { ...own, retryable: quote.mayRetry, message: quote.message, errorType: quote.code };
}
