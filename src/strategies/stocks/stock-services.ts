import type { OrderBook } from './cow/order-book';
import type { StockIssuer } from './stock-issuer';
import type { StockStatus } from './stock-status';
import type { StockVenue } from './stock-venue';

/** What a deployment with tokenized stocks has. */
export interface StockServices {
  readonly issuer: StockIssuer;
  readonly book: OrderBook;
  readonly venue: StockVenue;
  readonly status: StockStatus;
}
