import fc from 'fast-check';
import { fromApiNumber, jsonWithNumbers, toApiNumber } from './api-amount';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
const decimals = fc.constantFrom(0, 2, 6);
const read = (json: string, places: number) => fromApiNumber((JSON.parse(json) as { amount: number }).amount, places);

describe('an amount as a JSON number', () => {
  it('survives a round trip', () => {
    fc.assert(
      fc.property(amounts, decimals, (amount, places) => {
        expect(read(jsonWithNumbers({ amount: toApiNumber(amount, places) }), places)).toBe(amount);
      }),
      { numRuns: 2000 },
    );
  });

  it('survives a ramp that parses it as a double and serializes it again', () => {
    fc.assert(
      fc.property(amounts, decimals, (amount, places) => {
        const echoed = JSON.stringify(JSON.parse(jsonWithNumbers({ amount: toApiNumber(amount, places) })));
        expect(read(echoed, places)).toBe(amount);
      }),
      { numRuns: 2000 },
    );
  });

  it('is written with exactly its digits, and never with an exponent', () => {
    fc.assert(
      fc.property(amounts, decimals, (amount, places) => {
        const json = jsonWithNumbers({ amount: toApiNumber(amount, places) });
        const digits = /^\{"amount":(0|[1-9]\d*)(?:\.(\d*[1-9]))?\}$/.exec(json);
        expect(BigInt(`${digits![1]!}${(digits![2] ?? '').padEnd(places, '0')}`)).toBe(amount);
      }),
    );
  });

  it('is the exact sum of a ramp that adds doubles', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 2, maxLength: 8 }), (cents) => {
        const sum = cents.reduce((all, part) => all + part / 100, 0);
        expect(fromApiNumber(sum, 2)).toBe(BigInt(cents.reduce((all, part) => all + part, 0)));
      }),
    );
    expect(fromApiNumber(0.1 + 0.2, 6)).toBe(300_000n);
  });

  it('is not written with more digits than a double holds', () => {
    expect(toApiNumber(10n ** 15n, 6)).toEqual({ digits: '1000000000' }); // trailing zeros do not count
    expect(toApiNumber(10n ** 15n + 1n, 6)).toBeUndefined();
    expect(toApiNumber(-1n, 6)).toBeUndefined();
  });

  it.each([
    ['18.25', 18_250_000n],
    ['18.2500000', 18_250_000n],
    ['18.2500009', 18_250_001n],
    [1e-7, 1n],
    ['0', 0n],
  ])('is rounded up from %p on request', (value, amount) => {
    expect(fromApiNumber(value, 6, 'up')).toBe(amount);
  });

  it.each([
    ['18.25', 18_250_000n],
    ['18.2500009', 18_250_000n],
    [8000, 8_000_000_000n],
    [1e-7, 0n],
    ['0', 0n],
  ])('is read from %p', (value, amount) => {
    expect(fromApiNumber(value, 6)).toBe(amount);
  });

  it.each([NaN, Infinity, -1, -1e-9, 1e21, '', 'NaN', '-1', '1e3', ' 1', '1,5', '.5', '1.', '0x10', '1'.repeat(16)])(
    'is not read from %p',
    (value) => {
      expect(fromApiNumber(value, 6)).toBeUndefined();
    },
  );
});

describe('JSON with numbers by their digits', () => {
  it('equals JSON.stringify without API numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('"digits":'));
        expect(JSON.parse(jsonWithNumbers({ value }))).toEqual(JSON.parse(JSON.stringify({ value })));
      }),
    );
    expect(jsonWithNumbers({ left: undefined, name: 'a"b', list: [1, null] })).toBe('{"name":"a\\"b","list":[1,null]}');
  });
});
