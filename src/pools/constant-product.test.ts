import fc from 'fast-check';
import { amountInOf, amountOutOf, type Reserves } from './constant-product';

const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
const reserve = fc.bigInt({ min: 1000n, max: 10n ** 28n });
const pool: fc.Arbitrary<Reserves> = fc.record({ reserveIn: reserve, reserveOut: reserve });
const path = fc.array(pool, { minLength: 1, maxLength: 3 });

describe('the constant product', () => {
  it('gives what the router of a known pool gives', () => {
    // reserves 100 and 200 ether, 1 ether in: 1·997·200 / (100·1000 + 997) ether
    const reserves = { reserveIn: 100n * 10n ** 18n, reserveOut: 200n * 10n ** 18n };
    expect(amountOutOf(10n ** 18n, [reserves])).toBe(1_974_316_068_794_122_597n);
    expect(amountInOf(1_974_316_068_794_122_597n, [reserves])).toBe(10n ** 18n);
  });

  it('asks for an input that buys at least the output, and one unit less does not', () => {
    fc.assert(
      fc.property(amount, path, (wanted, pools) => {
        const asked = amountInOf(wanted, pools);
        if (asked === undefined) return;
        expect(amountOutOf(asked, pools)).toBeGreaterThanOrEqual(wanted);
      }),
    );
  });

  it('never pays out a whole reserve, nor more for less', () => {
    fc.assert(
      fc.property(amount, amount, path, (one, other, pools) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const [forLess, forMore] = [amountOutOf(less, pools), amountOutOf(more, pools)];
        if (forLess === undefined || forMore === undefined) return;
        expect(forMore).toBeGreaterThanOrEqual(forLess);
        expect(forMore).toBeLessThan(pools.at(-1)!.reserveOut);
      }),
    );
  });

  it('refuses what does not fit into the pool', () => {
    const reserves = { reserveIn: 10n ** 20n, reserveOut: 10n ** 20n };
    expect(amountInOf(10n ** 20n, [reserves])).toBeUndefined();
    expect(amountOutOf(2n ** 112n, [reserves])).toBeUndefined();
    expect(amountOutOf(2n ** 255n, [reserves, reserves])).toBeUndefined();
  });

  it('pays nothing for dust, whichever pool it gets lost in', () => {
    const worthless = { reserveIn: 10n ** 20n, reserveOut: 10n ** 10n };
    expect(amountOutOf(1n, [worthless])).toBe(0n);
    expect(amountOutOf(1n, [worthless, worthless])).toBe(0n);
  });
});
