import type { PriceObservation } from '../../src/prices/token-price';
import { usdPrice } from '../setup/usd';

/** An observation of a present price, from decimal text in dollars. */
export const observed = (usd: string, changes: Partial<PriceObservation> = {}): PriceObservation => ({
  usdE24: usdPrice(usd),
  source: 'chainlink',
  asOf: new Date(),
  confidenceBps: 10_000,
  kind: 'oracle',
  ...changes,
});
