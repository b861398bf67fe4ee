import type { StoredFeeLine } from '../quotes/find-quote';
import type { ActionFees } from './action-plan';

/** What was known of the costs when they were quoted, in US dollars. A cost without a price adds nothing. */
export function actionFees(lines: readonly StoredFeeLine[]): ActionFees {
  const known = lines.map(({ amountInUSD }) => plausibleUsd(amountInUSD) ?? 0);
  const breakdown = lines.map(({ kind, symbol, amountRaw }, index) => ({
    type: kind,
    amount: (known[index] ?? 0).toFixed(6),
    currency: 'USD',
    token: symbol,
    tokenAmount: amountRaw,
  }));
  const total = known.reduce((sum, amount) => sum + amount, 0);
  return { total: total.toFixed(6), currency: 'USD', breakdown };
}

const MOST_DOLLARS = 1e18;

/** Amounts go up to 2^256, dollars do not: such a sum says nothing, and no column holds it. */
export const plausibleUsd = (usd: number | undefined): number | undefined =>
  usd === undefined || Math.abs(usd) > MOST_DOLLARS ? undefined : usd;
