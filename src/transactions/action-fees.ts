import { formatUsdPadded, plausibleUsd, sumUsd, toMicroUsd } from '../money/usd';
import type { StoredFeeLine } from '../quotes/find-quote';
import type { ActionFees } from './action-plan';

/** The fees of a quote in US dollars, at the prices of the quote. A fee without a price counts as 0. */
export function actionFees(lines: readonly StoredFeeLine[]): ActionFees {
  const fees = lines.map((line) => ({ ...line, usd: plausibleUsd(line.amountInUSD) ?? toMicroUsd(0n) }));
  const breakdown = fees.map(({ kind, symbol, amountRaw, usd }) => ({
    type: kind,
    amount: formatUsdPadded(usd),
    currency: 'USD',
    token: symbol,
    tokenAmount: amountRaw,
  }));
  return { total: formatUsdPadded(sumUsd(fees.map(({ usd }) => usd))), currency: 'USD', breakdown };
}
