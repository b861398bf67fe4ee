import { formatBaseUnits } from '../../money/base-units';
import { formatUsd, type MicroUsd, plausibleUsd, type UsdPrice, usdValue } from '../../money/usd';
import type { Token } from '../../tokens/token';

/** An amount of a token, as clients show it. Gains may be negative. */
export interface AmountView {
  /** Address of the token. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base units. */
  readonly value: string;
  /** Exact decimal. */
  readonly humanized: string;
  /** Exact decimal in US dollars; `undefined` without a price. */
  readonly valueUSD: string | undefined;
}

/** `usd`: what the amount is worth. */
export const amountView = (
  { address, symbol, decimals }: Token,
  amount: bigint,
  usd: MicroUsd | undefined,
): AmountView => ({
  asset: address,
  symbol,
  decimals,
  value: amount.toString(),
  humanized: formatBaseUnits(amount, decimals),
  valueUSD: usd === undefined ? undefined : formatUsd(usd),
});

/** Worth of an amount of a token; `undefined` without a price. */
export const usdOf = (amount: bigint, { decimals }: Token, price: UsdPrice | undefined): MicroUsd | undefined =>
  price === undefined ? undefined : plausibleUsd(usdValue(amount, decimals, price));
