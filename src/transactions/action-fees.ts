import type { StoredFeeLine } from '../quotes/find-quote';
import type { ActionFees } from './action-plan';

/** The fees of a quote in US dollars, at the prices of the quote. A fee without a price counts as 0. */
export function actionFees(lines: readonly StoredFeeLine[]): ActionFees {
  const amountsUsd = lines.map(({ amountInUSD }) => plausibleUsd(amountInUSD) ?? 0);
  const breakdown = lines.map(({ kind, symbol, amountRaw }, index) => ({
    type: kind,
    amount: (amountsUsd[index] ?? 0).toFixed(6),
    currency: 'USD',
    token: symbol,
    tokenAmount: amountRaw,
  }));
  const total = amountsUsd.reduce((sum, amount) => sum + amount, 0);
  return { total: total.toFixed(6), currency: 'USD', breakdown };
}

const MAX_DOLLARS = 1e18;

/** `undefined` for sums beyond 10^18 US dollars: they are meaningless, and exceed the database column. */
export const plausibleUsd = (usd: number | undefined): number | undefined =>
  usd === undefined || Math.abs(usd) > MAX_DOLLARS ? undefined : usd;
