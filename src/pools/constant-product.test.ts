import fc from 'fast-check';
import { amountInFor, amountOutFor, type Reserves } from './constant-product';

const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
const reserve = fc.bigInt({ min: 1000n, max: 10n ** 28n });
const pool: fc.Arbitrary<Reserves> = fc.record({ reserveIn: reserve, reserveOut: reserve });
const path = fc.array(pool, { minLength: 1, maxLength: 3 });

describe('the constant product', () => {
  it('gives the amounts of the router', () => {
    // reserves 100 and 200 ether, 1 ether in: 1·997·200 / (100·1000 + 997) ether
    const reserves = { reserveIn: 100n * 10n ** 18n, reserveOut: 200n * 10n ** 18n };
    expect(amountOutFor(10n ** 18n, [reserves])).toBe(1_974_316_068_794_122_597n);
    expect(amountInFor(1_974_316_068_794_122_597n, [reserves])).toBe(10n ** 18n);
  });

  it('requires an input that buys at least the output', () => {
    fc.assert(
      fc.property(amount, path, (wanted, pools) => {
        const required = amountInFor(wanted, pools);
        if (required === undefined) return;
        expect(amountOutFor(required, pools)).toBeGreaterThanOrEqual(wanted);
      }),
    );
  });

  it('never pays out a whole reserve, nor more for a smaller input', () => {
    fc.assert(
      fc.property(amount, amount, path, (one, other, pools) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const [forLess, forMore] = [amountOutFor(less, pools), amountOutFor(more, pools)];
        if (forLess === undefined || forMore === undefined) return;
        expect(forMore).toBeGreaterThanOrEqual(forLess);
        expect(forMore).toBeLessThan(pools.at(-1)!.reserveOut);
      }),
    );
  });

  it('has no amount when a reserve would overflow or run out', () => {
    const reserves = { reserveIn: 10n ** 20n, reserveOut: 10n ** 20n };
    expect(amountInFor(10n ** 20n, [reserves])).toBeUndefined();
    expect(amountOutFor(2n ** 112n, [reserves])).toBeUndefined();
    expect(amountOutFor(2n ** 255n, [reserves, reserves])).toBeUndefined();
  });

  it('pays nothing for dust, in whichever pool it is rounded away', () => {
    const worthless = { reserveIn: 10n ** 20n, reserveOut: 10n ** 10n };
    expect(amountOutFor(1n, [worthless])).toBe(0n);
    expect(amountOutFor(1n, [worthless, worthless])).toBe(0n);
  });
});
