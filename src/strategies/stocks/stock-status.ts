import type { Strategy } from '../strategy';
import { type OrderBookView, probeOrderBook } from './probe-order-book';
import type { OrderBook } from './cow/order-book';
import type { StockIssuer } from './stock-issuer';

/** What the issuer and the order book say about a stock now. */
export interface StockStatusView {
  /** Dollars for one token, with 18 decimals; `undefined` when the issuer has no price. */
  readonly livePrice: bigint | undefined;
  readonly orderBook: OrderBookView;
}

/** Reads the state of stocks for status requests. */
export interface StockStatus {
  /** At most some seconds old: requests of the status never reach the issuer more often. Never throws. */
  read(strategy: Strategy): Promise<StockStatusView>;
}

interface StatusDeps {
  readonly issuer: StockIssuer;
  readonly book: OrderBook;
  readonly now?: () => number;
  /** Time for one reading, in milliseconds, which several requests may wait for; 5,000 by default. */
  readonly timeoutMs?: number;
  /** Time of a reading for the order book, in milliseconds; 3,000 by default. */
  readonly probeTimeoutMs?: number;
}

const TTL_MS = 10_000;
const TIMEOUT_MS = 5000;
const ONE_TOKEN = 10n ** 18n;

/** One reading for each strategy, which its requests share. */
export function createStockStatus(deps: StatusDeps): StockStatus {
  const { issuer, book, now = Date.now, timeoutMs = TIMEOUT_MS, probeTimeoutMs } = deps;
  const readings = new Map<string, { readonly at: number; readonly view: Promise<StockStatusView> }>();
  const readNow = async (strategy: Strategy): Promise<StockStatusView> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const trade = { strategy, side: 'BUY', amount: { tokens: ONE_TOKEN } } as const;
    const livePrice = await issuer.softPrice(trade, signal).catch(() => undefined);
    const orderBook = await probeOrderBook({ book, probeTimeoutMs }, { strategy, price: livePrice, signal });
    return { livePrice, orderBook };
  };
  return {
    read(strategy) {
      const { id } = strategy.row;
      const last = readings.get(id);
      if (last !== undefined && now() - last.at < TTL_MS) return last.view;
      const view = readNow(strategy);
      readings.set(id, { at: now(), view });
      return view;
    },
  };
}
