import fc from 'fast-check';
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK, sqrtPriceAtTick } from './tick-math';

const tick = fc.integer({ min: MIN_TICK, max: MAX_TICK });
const Q192 = 1n << 192n;

describe('the price at a tick', () => {
  it('equals the result of the contracts to the last bit', () => {
    expect(sqrtPriceAtTick(0)).toBe(1n << 96n);
    expect(MIN_SQRT_PRICE).toBe(4_295_128_739n);
    expect(MAX_SQRT_PRICE).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n);
    // Expected values of the libraries' own tests.
    expect(sqrtPriceAtTick(50)).toBe(79_426_470_787_362_580_746_886_972_461n);
    expect(sqrtPriceAtTick(-500_000)).toBe(1_101_692_437_043_807_371n);
    expect(sqrtPriceAtTick(738_203)).toBe(847_134_979_253_254_120_489_401_328_389_043_031_315_994_541n);
  });

  it('rises by 0.01 % from tick to tick', () => {
    fc.assert(
      fc.property(tick, (at) => {
        fc.pre(at < MAX_TICK && at > MIN_TICK + 200_000);
        const [here, next] = [sqrtPriceAtTick(at), sqrtPriceAtTick(at + 1)];
        const ratio = ((next * next - here * here) * 10n ** 12n) / (here * here);
        expect(ratio).toBeGreaterThanOrEqual(10n ** 8n - 1000n);
        expect(ratio).toBeLessThanOrEqual(10n ** 8n + 1000n);
      }),
    );
  });

  it('is the inverse at the opposite tick', () => {
    fc.assert(
      fc.property(fc.integer({ min: -300_000, max: 300_000 }), (at) => {
        const product = sqrtPriceAtTick(at) * sqrtPriceAtTick(-at);
        const difference = product > Q192 ? product - Q192 : Q192 - product;
        expect(difference * 10n ** 12n).toBeLessThan(Q192);
      }),
    );
  });
});
