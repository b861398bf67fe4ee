import fc from 'fast-check';
import { RAY, SECONDS_PER_YEAR } from '../../../money/ray';
import {
  indexAsRay,
  presentValue,
  principalAdded,
  cometPrincipal,
  principalRemoved,
  supplyIndexAt,
  supplyRate,
  yearlyRateRay,
} from './comet-index';

const SCALE = 10n ** 15n;
const index = fc.bigInt({ min: SCALE, max: 5n * SCALE });
const principal = fc.bigInt({ min: 0n, max: 2n ** 80n });
const assets = fc.bigInt({ min: 0n, max: 2n ** 80n });

const CURVE = { kink: 9n * 10n ** 17n, base: 100n, slopeLow: 2n * 10n ** 9n, slopeHigh: 10n ** 11n };

it('a principal is worth its exact value, cut to a unit', () => {
  fc.assert(
    fc.property(principal, index, (owned, current) => {
      const value = presentValue(owned, current);
      expect(value * SCALE <= owned * current && (value + 1n) * SCALE > owned * current).toBe(true);
      expect(cometPrincipal(value, current) <= owned).toBe(true);
    }),
  );
});

it('a deposit adds at most its exact principal, and a withdrawal takes at least it', () => {
  fc.assert(
    fc.property(principal, assets, index, (owned, amount, current) => {
      const added = principalAdded(owned, amount, current);
      // The whole deposit is rounded: what was cut from it before may count against the new part, never for it.
      expect(added * current <= amount * SCALE).toBe(true);
      const value = presentValue(owned, current);
      const taken = amount <= value ? amount : value;
      expect(principalRemoved(owned, taken, current) * current >= taken * SCALE).toBe(true);
      expect(principalRemoved(owned, value, current)).toBe(owned);
    }),
  );
});

it('the index grows with the rate and the time, exactly as far as its digits go', () => {
  fc.assert(
    fc.property(index, fc.bigInt({ min: 0n, max: 10n ** 10n }), fc.nat(100_000_000), (stored, rate, elapsed) => {
      const now = supplyIndexAt({ index: stored, accruedAt: 1000, rate }, 1000n + BigInt(elapsed));
      const exact = stored * (10n ** 18n + rate * BigInt(elapsed));
      expect(now * 10n ** 18n <= exact && (now + 1n) * 10n ** 18n > exact).toBe(true);
    }),
  );
});

it('a clock before the last accrual changes nothing', () => {
  expect(supplyIndexAt({ index: SCALE, accruedAt: 1000, rate: 5n }, 900n)).toBe(SCALE);
});

it('the rate rises slowly up to the kink and fast above it', () => {
  expect(supplyRate({ ...CURVE, utilization: 0n })).toBe(100n);
  expect(supplyRate({ ...CURVE, utilization: 9n * 10n ** 17n })).toBe(100n + 1_800_000_000n);
  expect(supplyRate({ ...CURVE, utilization: 10n ** 18n })).toBe(100n + 1_800_000_000n + 10n ** 10n);
});

it('index and rate are stated as rays', () => {
  expect(indexAsRay(SCALE)).toBe(RAY);
  expect(yearlyRateRay(10n ** 18n / SECONDS_PER_YEAR)).toBe(
    (10n ** 18n / SECONDS_PER_YEAR) * SECONDS_PER_YEAR * 10n ** 9n,
  );
});
