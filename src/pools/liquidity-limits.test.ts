import { canPayOut, maxAmountInAtSpot } from './liquidity-limits';

const pool = (reserveIn: bigint, reserveOut: bigint, balanceOut = reserveOut) => ({
  depth: { reserveIn, reserveOut, fee: 0n },
  balanceOut,
});

describe('the maximum input of a route', () => {
  it('is twice the input reserve of a constant-product pool', () => {
    expect(maxAmountInAtSpot([pool(1000n, 5000n)])).toBe(2000n);
  });

  it('is limited by the output balance, not by the price', () => {
    expect(maxAmountInAtSpot([pool(1_000_000n, 5_000_000n, 50n)])).toBe(20n);
  });

  it('is limited by the pool with the least liquidity', () => {
    expect(maxAmountInAtSpot([pool(1000n, 5000n), pool(100n, 100n)])).toBe(40n);
    expect(maxAmountInAtSpot([pool(10n, 50n), pool(10_000n, 10_000n)])).toBe(20n);
    expect(maxAmountInAtSpot([])).toBe(0n);
  });
});

describe('the output of a route', () => {
  it('has to be less than the balance of every pool, converted at current prices', () => {
    expect(canPayOut([pool(1000n, 5000n)], 4999n)).toBe(true);
    expect(canPayOut([pool(1000n, 5000n)], 5000n)).toBe(false);
    expect(canPayOut([pool(10n, 50n), pool(100n, 1000n)], 499n)).toBe(true);
    expect(canPayOut([pool(10n, 50n), pool(100n, 1000n)], 500n)).toBe(false);
  });
});
