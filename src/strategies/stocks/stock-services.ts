import type { CustomerId } from '../../auth/principal';
import type { MicroUsd } from '../../money/usd';
import type { OrderBook } from './cow/order-book';
import type { StockIssuer } from './stock-issuer';
import type { StockStatus } from './stock-status';
import type { StockVenue } from './stock-venue';

/** Bounds of new orders. */
export interface OrderBounds {
  /** Least value of an order. */
  readonly minOrderUsd: MicroUsd;
  /** Orders of one customer that are funded or may still be, and have not ended. */
  readonly maxOpen: number;
}

/** What a deployment with tokenized stocks has. */
export interface StockServices {
  readonly issuer: StockIssuer;
  readonly book: OrderBook;
  readonly venue: StockVenue;
  readonly status: StockStatus;
  readonly bounds: OrderBounds;
  /** Time for the balances of an order wallet in a status request, in milliseconds; 2,000 by default. */
  readonly balancesTimeoutMs?: number;
  /** The customer's budget for gas in US dollars once it is used up; `undefined` before. */
  reachedGasUsd(customerId: CustomerId): Promise<number | undefined>;
}
