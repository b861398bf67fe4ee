import type { OrderCanceller } from '../actions/cancel-action';
import { createOrderCanceller } from '../strategies/stocks/cancel-order';
import { type Orders, startOrders } from '../strategies/stocks/start-orders';
import type { Infrastructure } from './infrastructure';

/** Cancels orders of tokenized stocks. */
export const orderCanceller = ({ database, stocks, log }: Infrastructure): OrderCanceller =>
  createOrderCanceller({ database, venue: stocks.venue, log });

/** Carries out orders in a worker; `undefined` where the deployment has no settings for them. */
export function openOrders({ config, database, stocks, log }: Infrastructure): Orders | undefined {
  if (stocks.venue === undefined) return undefined;
  return startOrders({ database, venue: stocks.venue, log, pollMs: config.TRACKER_POLL_MS });
}
