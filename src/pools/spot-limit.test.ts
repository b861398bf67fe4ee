import { holdsEnough, spotLimit } from './spot-limit';

const pool = (reserveIn: bigint, reserveOut: bigint, stockOut = reserveOut) => ({
  depth: { reserveIn, reserveOut, fee: 0n },
  stockOut,
});

describe('what a route can take', () => {
  it('is twice what a constant-product pool holds of the same token', () => {
    expect(spotLimit([pool(1000n, 5000n)])).toBe(2000n);
  });

  it('is bounded by what is there, not by what the price promises', () => {
    expect(spotLimit([pool(1_000_000n, 5_000_000n, 50n)])).toBe(20n);
  });

  it('is bounded by the tightest pool of the route', () => {
    expect(spotLimit([pool(1000n, 5000n), pool(100n, 100n)])).toBe(40n);
    expect(spotLimit([pool(10n, 50n), pool(10_000n, 10_000n)])).toBe(20n);
    expect(spotLimit([])).toBe(0n);
  });
});

describe('what a route can pay', () => {
  it('is less than what its last pool holds, and what the pools before it hold of what that one asks', () => {
    expect(holdsEnough([pool(1000n, 5000n)], 4999n)).toBe(true);
    expect(holdsEnough([pool(1000n, 5000n)], 5000n)).toBe(false);
    expect(holdsEnough([pool(10n, 50n), pool(100n, 1000n)], 499n)).toBe(true);
    expect(holdsEnough([pool(10n, 50n), pool(100n, 1000n)], 500n)).toBe(false);
  });
});
