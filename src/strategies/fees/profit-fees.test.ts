import fc from 'fast-check';
import '../../../test/setup/seeded-properties';
import {
  applyExactly,
  EMPTY,
  floor,
  HISTORIES,
  histories,
  minus,
  RAY,
  rational,
  times,
} from '../../../test/strategies/random-histories';
import { foldPosition } from '../positions/position-state';
import { feeOnWithdrawal } from './profit-fees';

describe('the fee on a withdrawal', () => {
  const state = foldPosition([{ kind: 'deposit', shares: 1000n, assets: 10_000n }]);

  it('is a part of the gain of the withdrawn shares, rounded down', () => {
    const position = { state, value: 12_345n };
    expect(feeOnWithdrawal({ position, shares: 1000n, bps: 500 })).toBe(117n); // 2,345 × 5 % = 117.25
    expect(feeOnWithdrawal({ position, shares: 100n, bps: 500 })).toBe(11n); // 1,234 − 1,000 = 234; × 5 % = 11.7
    expect(feeOnWithdrawal({ position, assets: 12_345n, bps: 500 })).toBe(117n);
    expect(feeOnWithdrawal({ position, assets: 12_345n, shares: 1000n, bps: 10_000 })).toBe(2345n);
  });

  it('never touches principal: a loss and an unchanged value are free', () => {
    expect(feeOnWithdrawal({ position: { state, value: 9999n }, shares: 1000n, bps: 10_000 })).toBe(0n);
    expect(feeOnWithdrawal({ position: { state, value: 10_000n }, shares: 1000n, bps: 10_000 })).toBe(0n);
    expect(feeOnWithdrawal({ position: { state, value: 0n }, assets: 5n, bps: 10_000 })).toBe(0n);
  });

  it('is never more than its part of the exact gain, and less than one unit below it', () => {
    fc.assert(
      fc.property(histories, fc.bigInt(1n, 1_000_000n), fc.bigInt(0n, 10_000n), ({ movements, price }, part, bps) => {
        const held = foldPosition(movements);
        const exact = movements.reduce(applyExactly, EMPTY);
        const shares = (held.shares * part) / 1_000_000n;
        if (shares === 0n) return;
        const assets = (shares * price) / RAY;
        const gain = minus(rational(assets), times(exact.cost, rational(shares, exact.shares)));
        const expected = gain.n <= 0n ? 0n : floor(times(gain, rational(bps, 10_000n)));
        const position = { state: held, value: (held.shares * price) / RAY };
        expect(feeOnWithdrawal({ position, assets, shares, bps })).toBe(expected);
      }),
      { numRuns: HISTORIES },
    );
  });
});
