import { RAY } from '../../../money/ray';

/**
 * Digits by which shares are multiplied where a price is read: with one share of six decimals, the interest of an hour would
 * have one digit.
 */
const EXTRA_DIGITS = 18;
/** Largest number of decimals of a share: more would make the reads overflow. */
export const MAX_SHARE_DECIMALS = 36;

/** Shares whose worth is read to get the price of one. */
export const pricedShares = (shareDecimals: number): bigint => 10n ** BigInt(shareDecimals + EXTRA_DIGITS);

export interface VaultAmounts {
  /** Worth of `pricedShares`; `undefined` when the vault does not tell. */
  readonly converted: bigint | undefined;
  readonly totalAssets: bigint;
  readonly totalSupply: bigint | undefined;
}

/** Assets per share as a ray, both in base units; `undefined` when the vault has no price. */
export function sharePriceRay(shareDecimals: number, vault: VaultAmounts): bigint | undefined {
  if (vault.converted !== undefined) return (vault.converted * RAY) / pricedShares(shareDecimals);
  const { totalAssets, totalSupply } = vault;
  return totalSupply === undefined || totalSupply === 0n ? undefined : (totalAssets * RAY) / totalSupply;
}

/** Worth of shares by the worth of `pricedShares`, rounded down: at most one unit less than the vault's own preview. */
export const worthOf = (shares: bigint, worthOfPriced: bigint, shareDecimals: number): bigint =>
  (shares * worthOfPriced) / pricedShares(shareDecimals);
