import fc from 'fast-check';
import type { Strategy } from '../strategy';
import { pricedShares } from './share-price';
import { lendProblem, withdrawProblem } from './vault-problems';

const strategyWith = (knownFeeBps: number): Strategy => {
  const token = { chainId: 1, address: '0x0', name: 'USD Coin', logoURI: undefined };
  const partial: unknown = {
    row: { knownFeeBps },
    underlying: { ...token, symbol: 'USDC', decimals: 6 },
    receipt: { ...token, symbol: 'vUSDC', decimals: 6 },
  };
  return partial as Strategy;
};

/** A vault whose shares are worth one unit each. */
const fair = { redeemed: pricedShares(6), limit: undefined, tokens: 10n ** 15n };

it('a deposit is accepted exactly as long as its immediate withdrawal loses no more than fees and rounding explain', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 15n });
  fc.assert(
    fc.property(amounts, fc.nat(500), fc.bigInt({ min: 0n, max: 1000n }), (assets, knownFeeBps, lostBps) => {
      const previewed = assets - (assets * lostBps) / 10_000n;
      const problem = lendProblem(strategyWith(knownFeeBps), { ...fair, assets, previewed });
      const allowed = (assets * (BigInt(knownFeeBps) + 1n)) / 10_000n + 3n;
      const lost = assets - previewed;
      if (lost > allowed) expect(problem?.kind).toBe(previewed === 0n ? 'TOO_SMALL' : 'UNFAIR_PRICE');
      if (lost + 1n < allowed && previewed > 0n) expect(problem).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

it('a vault that states no price for withdrawals, or no shares for deposits, gets no deposits', () => {
  const deposit = { ...fair, assets: 100n, previewed: 100n };
  expect(lendProblem(strategyWith(0), { ...deposit, redeemed: undefined })?.kind).toBe('UNFAIR_PRICE');
  expect(lendProblem(strategyWith(0), { ...deposit, previewed: undefined })?.kind).toBe('DEPOSITS_PAUSED');
});

it('the balance of the wallet is the last problem of a deposit', () => {
  const deposit = { ...fair, assets: 100n, previewed: 100n, tokens: 5n };
  expect(lendProblem(strategyWith(0), deposit)).toMatchObject({ kind: 'BALANCE', maximum: 5n });
  expect(lendProblem(strategyWith(0), { ...deposit, limit: 50n })?.kind).toBe('DEPOSIT_LIMIT');
  expect(lendProblem(strategyWith(0), { ...deposit, previewed: 50n })?.kind).toBe('UNFAIR_PRICE');
});

it('a withdrawal is refused above the shares of the wallet, and above the limit of the vault', () => {
  const holding = { held: 100n, value: 100n, limit: undefined };
  const problemOf = (shares: bigint, limit: bigint | undefined) =>
    withdrawProblem(strategyWith(0), { ...holding, limit, shares, assets: shares })?.kind;
  expect(problemOf(100n, undefined)).toBeUndefined();
  expect(problemOf(101n, undefined)).toBe('BALANCE');
  expect(problemOf(60n, 60n)).toBeUndefined();
  expect(problemOf(60n, 59n)).toBe('LIQUIDITY');
  expect(problemOf(60n, 0n)).toBe('WITHDRAWALS_PAUSED');
  expect(problemOf(0n, 59n)).toBe('TOO_SMALL');
});
