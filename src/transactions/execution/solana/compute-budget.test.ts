import fc from 'fast-check';
import { computeUnitLimit, MAX_COMPUTE_UNITS, computeUnitPrice } from './compute-budget';

const units = fc.bigInt(1n, 2_000_000n);
const prices = fc.bigInt(0n, 10n ** 15n);

describe('the compute budget of a transaction', () => {
  it('has a margin of a fifth, at least ten thousand units, up to the maximum of a transaction', () => {
    fc.assert(
      fc.property(units, (used) => {
        const limit = computeUnitLimit(used);
        expect(limit).toBeLessThanOrEqual(MAX_COMPUTE_UNITS);
        if (limit === MAX_COMPUTE_UNITS) return;
        expect(limit - used).toBeGreaterThanOrEqual(10_000n);
        expect(limit * 5n).toBeGreaterThanOrEqual(used * 6n);
        expect(limit * 5n).toBeLessThanOrEqual(used * 6n + 50_000n);
      }),
    );
  });

  it('pays the recent price, never zero, and never more than a thousandth of a SOL', () => {
    fc.assert(
      fc.property(prices, units, (recent, limit) => {
        const price = computeUnitPrice(recent, limit);
        expect(price).toBeGreaterThan(0n);
        expect((price * limit) / 1_000_000n).toBeLessThanOrEqual(1_000_000n);
        if (recent > 10_000n && (recent * limit) / 1_000_000n < 1_000_000n) expect(price).toBe(recent);
      }),
    );
  });
});
