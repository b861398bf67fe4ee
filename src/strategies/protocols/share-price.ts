import { RAY } from '../../money/ray';

/**
 * Extra digits of the shares whose worth is read: with one share of six decimals, the interest of an hour would have one
 * digit.
 */
const EXTRA_DIGITS = 18;
/** Largest number of decimals of a share: more would make the reads overflow. */
export const MAX_SHARE_DECIMALS = 36;

/** Shares whose worth is read to get the price of one. */
export const pricedShares = (shareDecimals: number): bigint => 10n ** BigInt(shareDecimals + EXTRA_DIGITS);

export interface VaultAmounts {
  /** Worth of `pricedShares`; `undefined` when the vault does not state it. */
  readonly converted: bigint | undefined;
  readonly totalAssets: bigint;
  readonly totalSupply: bigint | undefined;
}

/** Assets per share as a ray, both in base units. Positive; `undefined` when the vault has no price. */
export function sharePriceRay(shareDecimals: number, vault: VaultAmounts): bigint | undefined {
  const price = priceOf(shareDecimals, vault);
  return price === 0n ? undefined : price;
}

function priceOf(shareDecimals: number, { converted, totalAssets, totalSupply }: VaultAmounts): bigint | undefined {
  if (converted !== undefined) return (converted * RAY) / pricedShares(shareDecimals);
  return totalSupply === undefined || totalSupply === 0n ? undefined : (totalAssets * RAY) / totalSupply;
}

/** Worth of shares by the worth of `pricedShares`, rounded down: at most one unit less than the vault's own preview. */
export const worthOfShares = (shares: bigint, worthOfPriced: bigint, shareDecimals: number): bigint =>
  (shares * worthOfPriced) / pricedShares(shareDecimals);

interface PricedWorth {
  /** Worth of `pricedShares`, less the fees of an exit; `undefined` when the vault does not state it. */
  readonly redeemed: bigint | undefined;
  /** The same without fees. */
  readonly converted: bigint | undefined;
}

/**
 * What a redemption of shares pays, or a few units less; `undefined` when the vault has no price. Fees are rounded up for each
 * redemption, which the worth of many shares does not show.
 */
export function redeemableOf(shares: bigint, worth: PricedWorth, shareDecimals: number): bigint | undefined {
  const { redeemed, converted } = worth;
  if (redeemed === undefined)
    return converted === undefined ? undefined : worthOfShares(shares, converted, shareDecimals);
  const assets = worthOfShares(shares, redeemed, shareDecimals);
  return converted === redeemed || assets === 0n ? assets : assets - 1n;
}
