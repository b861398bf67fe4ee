import fc from 'fast-check';
import { RAY } from '../../money/ray';
import { pricedShares, redeemableOf, sharePriceRay, worthOfShares } from './share-price';

/** A vault of OpenZeppelin. */
interface Vault {
  readonly totalAssets: bigint;
  readonly totalSupply: bigint;
  readonly offset: bigint;
}

const convert = (shares: bigint, { totalAssets, totalSupply, offset }: Vault): bigint =>
  (shares * (totalAssets + 1n)) / (totalSupply + 10n ** offset);

const vault = fc.record({
  totalAssets: fc.bigInt({ min: 0n, max: 10n ** 18n }),
  totalSupply: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  offset: fc.constantFrom(0n, 6n, 12n),
});

it('the price is exact to 24 digits of the worth of a share with six decimals', () => {
  fc.assert(
    fc.property(vault, (state) => {
      const { totalAssets, totalSupply } = state;
      const converted = convert(pricedShares(6), state);
      const price = sharePriceRay(6, { converted, totalAssets, totalSupply }) ?? 0n;
      const denominator = totalSupply + 10n ** state.offset;
      const error = (totalAssets + 1n) * RAY - price * denominator;
      expect(error >= 0n && error < denominator * 1000n + denominator).toBe(true);
    }),
  );
});

it('an hour at four percent is visible in the price of a share with six decimals', () => {
  const price = (totalAssets: bigint) => {
    const state = { totalAssets, totalSupply: 10n ** 12n, offset: 0n };
    return sharePriceRay(6, { ...state, converted: convert(pricedShares(6), state) })!;
  };
  const principal = 10n ** 12n;
  const interest = (principal * 4n) / 100n / 8760n;
  const growth = ((price(principal + interest) - price(principal)) * 10n ** 12n) / price(principal);
  const exact = (interest * 10n ** 12n) / principal;
  expect(growth >= exact - 1n && growth <= exact).toBe(true);
});

it('a vault that converts nothing has the price of its totals, and an empty one has none', () => {
  expect(sharePriceRay(18, { converted: undefined, totalAssets: 300n, totalSupply: 200n })).toBe((RAY * 3n) / 2n);
  expect(sharePriceRay(18, { converted: undefined, totalAssets: 300n, totalSupply: 0n })).toBeUndefined();
  expect(sharePriceRay(18, { converted: undefined, totalAssets: 300n, totalSupply: undefined })).toBeUndefined();
  expect(sharePriceRay(18, { converted: 0n, totalAssets: 0n, totalSupply: 200n })).toBeUndefined();
});

it('the worth of shares is at most a unit below what the vault previews, and never above it', () => {
  fc.assert(
    fc.property(vault, fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.constantFrom(6, 18), (state, shares, decimals) => {
      const worth = worthOfShares(shares, convert(pricedShares(decimals), state), decimals);
      const previewed = convert(shares, state);
      expect(worth <= previewed && worth >= previewed - 1n - shares / pricedShares(decimals)).toBe(true);
    }),
  );
});

it('what a redemption with a fee pays is never overstated, and understated by a few units at most', () => {
  const fee = (assets: bigint, bps: bigint): bigint => (assets * bps + 10_000n + bps - 1n) / (10_000n + bps);
  const redeem = (shares: bigint, state: Vault, bps: bigint): bigint => {
    const assets = convert(shares, state);
    return assets - fee(assets, bps);
  };
  const feeBps = fc.bigInt({ min: 1n, max: 1000n });
  fc.assert(
    fc.property(vault, fc.bigInt({ min: 0n, max: 10n ** 22n }), feeBps, (state, shares, bps) => {
      const converted = convert(pricedShares(6), state);
      const value = redeemableOf(shares, { converted, redeemed: redeem(pricedShares(6), state, bps) }, 6)!;
      const paid = redeem(shares, state, bps);
      expect(value <= paid && value >= paid - 3n).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('a vault that states no price for a redemption has the worth of its shares, and none without a price', () => {
  const worth = { redeemed: undefined, converted: pricedShares(6) };
  expect(redeemableOf(7n, worth, 6)).toBe(7n);
  expect(redeemableOf(7n, { redeemed: undefined, converted: undefined }, 6)).toBeUndefined();
});
