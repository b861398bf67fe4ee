import fc from 'fast-check';
import { usd, usdPrice } from '../../test/setup/usd';
import {
  formatUsd,
  formatUsdPadded,
  formatUsdPrice,
  ONE_DOLLAR,
  parseUsd,
  plausibleUsd,
  sumUsd,
  toMicroUsd,
  toUsdPrice,
  type UsdPrice,
  usdCost,
  usdValue,
  usdWorth,
} from './usd';

const amounts = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const signedAmounts = fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n });
const decimals = fc.integer({ min: 0, max: 36 });
const prices = fc.bigInt({ min: 1n, max: 10n ** 40n }).map((price) => price as UsdPrice);
const sums = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(toMicroUsd);

/** A millionth of a dollar, in the unit of base units times price. */
const microUnit = (places: number): bigint => 10n ** BigInt(places + 18);

describe('the value of an amount in US dollars', () => {
  it('is the largest number of millionths that does not exceed the exact value', () => {
    fc.assert(
      fc.property(amounts, decimals, prices, (amount, places, price) => {
        const rest = amount * price - usdValue(amount, places, price) * microUnit(places);
        expect(rest >= 0n && rest < microUnit(places)).toBe(true);
      }),
    );
  });

  it('is not larger in parts than as a whole', () => {
    fc.assert(
      fc.property(amounts, amounts, prices, (one, other, price) => {
        const parts = sumUsd([usdValue(one, 18, price), usdValue(other, 18, price)]);
        const whole = usdValue(one + other, 18, price);
        expect(whole - parts === 0n || whole - parts === 1n).toBe(true);
      }),
    );
  });

  it('is exact where a double is not', () => {
    // A double holds 16 digits of such a value.
    expect(usdValue(90_071_992_547_409_930_001n, 6, ONE_DOLLAR)).toBe(90_071_992_547_409_930_001n);
    expect(formatUsd(usdValue(3n * 10n ** 17n, 18, usdPrice('0.1')))).toBe('0.03');
    expect(usdValue(10n ** 36n, 18, usdPrice('0.000000000000000000000001'))).toBe(1n);
  });
});

describe('a cost in US dollars', () => {
  it('is the smallest number of millionths that is not below the exact cost, also of a gain', () => {
    fc.assert(
      fc.property(signedAmounts, decimals, prices, (amount, places, price) => {
        const excess = usdCost(amount, places, price) * microUnit(places) - amount * price;
        expect(excess >= 0n && excess < microUnit(places)).toBe(true);
      }),
    );
  });

  it('is not rounded where it is a whole number of millionths', () => {
    expect(usdCost(10n ** 18n, 18, ONE_DOLLAR)).toBe(1_000_000n);
    expect(usdCost(-(10n ** 18n), 18, ONE_DOLLAR)).toBe(-1_000_000n);
    expect(usdCost(10n ** 18n + 1n, 18, ONE_DOLLAR)).toBe(1_000_001n);
  });

  it('is at most a millionth above the value of the same amount', () => {
    fc.assert(
      fc.property(amounts, decimals, prices, (amount, places, price) => {
        const difference = usdCost(amount, places, price) - usdValue(amount, places, price);
        expect(difference === 0n || difference === 1n).toBe(true);
      }),
    );
  });
});

describe('an amount of US dollars', () => {
  it('survives its text, with and without trailing zeros', () => {
    fc.assert(
      fc.property(sums, (sum) => {
        expect(parseUsd(formatUsd(sum))).toBe(sum);
        expect(parseUsd(formatUsdPadded(sum))).toBe(sum);
        expect(formatUsdPadded(sum)).toMatch(/^-?\d+\.\d{6}$/);
      }),
    );
  });

  it.each([
    [600_000n, '0.6', '0.600000'],
    [0n, '0', '0.000000'],
    [-1n, '-0.000001', '-0.000001'],
    [12_000_000n, '12', '12.000000'],
  ])('of %d millionths is written as %s and %s', (micro, exact, padded) => {
    expect([formatUsd(toMicroUsd(micro)), formatUsdPadded(toMicroUsd(micro))]).toEqual([exact, padded]);
  });

  it.each(['', '-', '--1', '+1', '1e3', '1e-7', '.5', '1,5', ' 1', 'NaN', '-Infinity', '9'.repeat(41)])(
    'is not read from %j',
    (text) => {
      expect(parseUsd(text)).toBeUndefined();
    },
  );

  it('is a sum without rounding', () => {
    fc.assert(
      fc.property(fc.array(sums), (parts) => {
        expect(sumUsd(parts)).toBe(parts.reduce<bigint>((sum, part) => sum + part, 0n));
      }),
    );
    expect(formatUsd(sumUsd([usd('0.1'), usd('0.2')]))).toBe('0.3');
  });

  it('is implausible beyond 10^18 dollars', () => {
    const limit = 10n ** 24n;
    for (const sum of [limit, -limit, 0n]) expect(plausibleUsd(toMicroUsd(sum))).toBe(sum);
    for (const sum of [limit + 1n, -limit - 1n]) expect(plausibleUsd(toMicroUsd(sum))).toBeUndefined();
    expect(plausibleUsd(undefined)).toBeUndefined();
  });
});

describe('the worth of a portfolio', () => {
  const position = fc.record({
    amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    decimals: fc.integer({ min: 0, max: 36 }),
    price: fc.bigInt({ min: 1n, max: 10n ** 36n }),
  });

  it('is the sum of its positions to the millionth of a dollar, each rounded down once', () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 50 }), (positions) => {
        const values = positions.map(({ amount, decimals, price }) => usdValue(amount, decimals, toUsdPrice(price)!));
        const worth = positions.map(({ amount, decimals, price }) => (amount * price) / 10n ** BigInt(decimals + 18));
        expect(values).toEqual(worth);
        const total = sumUsd(values);
        // What is shown adds up as well.
        const shown = values.map((value) => BigInt(formatUsdPadded(value).replace('.', '')));
        expect(BigInt(formatUsdPadded(total).replace('.', ''))).toBe(shown.reduce((sum, value) => sum + value, 0n));
      }),
    );
  });
});

describe('an amount of US dollars in another currency', () => {
  it('is rounded down to a millionth of it', () => {
    expect(usdWorth(usd('10'), usdPrice('0.2'))).toBe(50_000_000n);
    expect(usdWorth(usd('1'), usdPrice('3'))).toBe(333_333n);
    expect(usdWorth(usd('5'), ONE_DOLLAR)).toBe(5_000_000n);
  });
});

describe('a price in US dollars', () => {
  it('is positive', () => {
    expect([toUsdPrice(1n), toUsdPrice(0n), toUsdPrice(-1n)]).toEqual([1n, undefined, undefined]);
  });

  it('is written exactly, also far below a cent', () => {
    expect(formatUsdPrice(ONE_DOLLAR)).toBe('1');
    expect(formatUsdPrice(usdPrice('2000.5'))).toBe('2000.5');
    expect(formatUsdPrice(usdPrice('0.000000000000000001'))).toBe('0.000000000000000001');
  });
});
