import fc from 'fast-check';
import { RAY, SECONDS_PER_YEAR } from '../../../money/ray';
import { assetsOf, reserveFlags, hasDebt, liquidityIndexAt, roomBelowCap } from './reserve';

const index = fc.bigInt({ min: RAY, max: 20n * RAY });
const rate = fc.bigInt({ min: 0n, max: 3n * RAY });
const seconds = fc.bigInt({ min: 0n, max: 10n * SECONDS_PER_YEAR });
const START = 1_700_000_000;

const indexAfter = (liquidityIndex: bigint, currentLiquidityRate: bigint, elapsed: bigint): bigint =>
  liquidityIndexAt(
    { liquidityIndex, currentLiquidityRate, lastUpdateTimestamp: START },
    { timestamp: BigInt(START) + elapsed },
  );

describe('the liquidity index', () => {
  it('is the exact linear growth, rounded as the Pool rounds it', () => {
    fc.assert(
      fc.property(index, rate, seconds, (stored, yearly, elapsed) => {
        const computed = indexAfter(stored, yearly, elapsed);
        // stored × (1 + yearly × elapsed / year) as a fraction: the factor is cut to a ray, the product rounded half up.
        const numerator = stored * (RAY * SECONDS_PER_YEAR + yearly * elapsed);
        const denominator = RAY * SECONDS_PER_YEAR;
        const error = computed * denominator - numerator;
        // At most half a unit up, and at most stored/RAY units and a half down.
        expect(2n * error <= denominator).toBe(true);
        expect(2n * error * RAY >= -(denominator * (2n * stored + RAY))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is the stored one in the block of the last change, and never falls', () => {
    fc.assert(
      fc.property(index, rate, seconds, (stored, yearly, elapsed) => {
        expect(indexAfter(stored, yearly, 0n)).toBe(stored);
        expect(indexAfter(stored, yearly, elapsed) >= stored).toBe(true);
        expect(indexAfter(stored, yearly, elapsed + 1n) >= indexAfter(stored, yearly, elapsed)).toBe(true);
      }),
    );
  });

  it('is that of a known reserve', () => {
    // 5 % a year for half a year on an index of 1.04.
    expect(indexAfter((104n * RAY) / 100n, RAY / 20n, SECONDS_PER_YEAR / 2n)).toBe((1066n * RAY) / 1000n);
  });
});

it('the assets of scaled tokens are never more than their exact worth', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 100n }), index, (scaled, price) => {
      const assets = assetsOf(scaled, price);
      expect(assets * RAY <= scaled * price && (assets + 1n) * RAY > scaled * price).toBe(true);
    }),
  );
});

const word = (parts: { cap?: bigint; factor?: bigint; flags?: bigint }): bigint =>
  (6n << 48n) | (parts.flags ?? 0n) | ((parts.factor ?? 0n) << 64n) | ((parts.cap ?? 0n) << 116n);

describe('the configuration word', () => {
  it.each([
    [1n << 56n, { isActive: true, isFrozen: false, isPaused: false }],
    [1n << 57n, { isActive: false, isFrozen: true, isPaused: false }],
    [(1n << 56n) | (1n << 60n), { isActive: true, isFrozen: false, isPaused: true }],
  ])('has the flags of %d', (flags, expected) => {
    expect(reserveFlags({ configuration: word({ flags }) })).toEqual(expected);
  });

  it('of a user has a debt where a borrowing bit is set, whatever is collateral', () => {
    expect(hasDebt(0b10_1010n)).toBe(false);
    expect(hasDebt(0b10_1110n)).toBe(true);
    expect(hasDebt(1n << 254n)).toBe(true);
    expect(hasDebt(1n << 255n)).toBe(false);
  });
});

describe('the room below the supply cap', () => {
  const reserve = { accruedToTreasury: 0n, currentLiquidityRate: 0n, liquidityIndex: RAY, lastUpdateTimestamp: START };
  const room = (parts: { cap?: bigint; factor?: bigint }, changes: object) =>
    roomBelowCap({ ...reserve, scaledSupply: 0n, index: RAY, configuration: word(parts), ...changes });

  it('is not limited without a cap', () => {
    expect(room({}, { scaledSupply: 10n ** 30n })).toBeUndefined();
  });

  it('is the cap in whole tokens, less the supply and one unit', () => {
    expect(room({ cap: 100n }, {})).toBe(99_999_999n);
    expect(room({ cap: 100n }, { scaledSupply: 60_000_000n })).toBe(39_999_999n);
    expect(room({ cap: 100n }, { scaledSupply: 60_000_000n, accruedToTreasury: 30_000_000n })).toBe(9_999_999n);
    expect(room({ cap: 100n }, { scaledSupply: 60_000_000n, index: (3n * RAY) / 2n, liquidityIndex: RAY })).toBe(
      9_999_999n,
    );
  });

  it('is never negative', () => {
    expect(room({ cap: 100n }, { scaledSupply: 100_000_001n })).toBe(0n);
  });

  it('leaves the interest of ten minutes, and the part of the treasury, below the cap', () => {
    fc.assert(
      fc.property(
        fc.record({
          scaledSupply: fc.bigInt({ min: 1n, max: 10n ** 15n }),
          yearly: fc.bigInt({ min: 0n, max: RAY }),
          factor: fc.bigInt({ min: 0n, max: 5000n }),
          delay: fc.bigInt({ min: 0n, max: 600n }),
        }),
        ({ scaledSupply, yearly, factor, delay }) => {
          const configuration = word({ cap: 2n * 10n ** 9n, factor });
          const now = { ...reserve, scaledSupply, index: RAY, configuration, currentLiquidityRate: yearly };
          const left = roomBelowCap(now)!;
          const later = indexAfter(RAY, yearly, delay);
          const interest = (scaledSupply * (later - RAY)) / RAY;
          const treasury = (interest * factor) / (10_000n - factor);
          const supply = (scaledSupply * later) / RAY + treasury;
          expect(supply + left <= 2n * 10n ** 15n).toBe(true);
        },
      ),
    );
  });
});
