import fc from 'fast-check';
import { toBaseUnits } from '../../../money/base-units';
import { lessShare, MAX_SLIPPAGE, MIN_SLIPPAGE, type PartsPerMillion, plusShare } from '../../../money/slippage';
import { feeOn, parseFeeRate } from './fee-rate';
import { leastAmountIn, type Terms, termsOf } from './terms';

const basisPoints = fc.integer({ min: 0, max: 300 }).map((tenths) => tenths / 10);
const question = fc.record({
  side: fc.constantFrom('in' as const, 'out' as const),
  amount: fc
    .record({ digits: fc.integer({ min: 0, max: 12 }), lead: fc.bigInt({ min: 1n, max: 999n }) })
    .map(({ digits, lead }) => toBaseUnits(lead * 10n ** BigInt(digits))),
  slippage: fc.bigInt({ min: MIN_SLIPPAGE, max: MAX_SLIPPAGE }).map((share) => share as PartsPerMillion),
});
const speed = fc.constantFrom('fast' as const, 'standard' as const);
const ratesOf = (fast: number, standard: number) => ({
  fast: parseFeeRate(fast)!,
  standard: parseFeeRate(standard)!,
});

/** What every offer has to keep, whoever makes it. */
function expectSound(asked: Parameters<typeof termsOf>[0], terms: Terms): void {
  const { amountIn, maxAmountIn, expectedAmountOut, minAmountOut, fee, maxFee } = terms;
  expect(minAmountOut).toBeGreaterThan(0n);
  expect(minAmountOut).toBeLessThanOrEqual(expectedAmountOut);
  expect(amountIn).toBeLessThanOrEqual(maxAmountIn);
  expect(amountIn - fee).toBe(expectedAmountOut);
  expect(fee).toBeLessThanOrEqual(maxFee);
  expect(maxFee).toBeLessThan(amountIn);
  expect(amountIn - maxFee).toBe(minAmountOut);
  if (asked.side === 'in') {
    expect({ amountIn, maxAmountIn }).toEqual({ amountIn: asked.amount, maxAmountIn: asked.amount });
    expect(minAmountOut).toBeGreaterThanOrEqual(lessShare(expectedAmountOut, asked.slippage));
  } else {
    expect({ expectedAmountOut, minAmountOut }).toEqual({
      expectedAmountOut: asked.amount,
      minAmountOut: asked.amount,
    });
    expect(maxAmountIn).toBeLessThanOrEqual(plusShare(amountIn, asked.slippage));
  }
}

describe('terms of a transfer', () => {
  it('add up for every amount, slippage and fee, and cover the fee', () => {
    fc.assert(
      fc.property(question, speed, fc.tuple(basisPoints, basisPoints), (asked, wanted, fees) => {
        const rates = ratesOf(...fees);
        const terms = termsOf(asked, rates, wanted);
        if (terms === undefined) {
          expect(asked.side).toBe('in');
          expect(asked.amount).toBeLessThan(leastAmountIn(rates));
          return;
        }
        expectSound(asked, terms);
        expect(terms.fee).toBe(feeOn(terms.amountIn, rates[terms.speed]));
        if (wanted === 'standard') expect(terms.speed).toBe('standard');
      }),
      { numRuns: 1000 },
    );
  });

  it('are fast only with room for a fee that is a tenth higher, and a fifth where the slippage has it', () => {
    fc.assert(
      fc.property(question, basisPoints, (asked, fast) => {
        const terms = termsOf({ ...asked, side: 'in' }, ratesOf(fast, 0), 'fast')!;
        const least = feeOn(asked.amount, parseFeeRate((fast * 1.1).toFixed(2))!);
        if (terms.speed === 'fast') expect(terms.maxFee).toBeGreaterThanOrEqual(least);
        const isTight = terms.minAmountOut <= lessShare(terms.expectedAmountOut, asked.slippage) + 1n;
        if (terms.speed === 'fast' && !isTight) {
          expect(terms.maxFee).toBe(feeOn(asked.amount, parseFeeRate((fast * 1.2).toFixed(2))!));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    // 14 basis points with a slippage of one: a tenth of the fee more is 1.4, too much.
    { asked: '1000000000', fast: 14, slippage: 100n, speed: 'standard' },
    { asked: '1000000000', fast: 14, slippage: 200n, speed: 'fast' },
    { asked: '1000000000', fast: 1, slippage: 100n, speed: 'fast' },
    // The fee on one unit is one unit.
    { asked: '1', fast: 1, slippage: 5000n, speed: 'standard' },
    { asked: '2', fast: 1, slippage: 5000n, speed: 'fast' },
  ])('of $asked units at $fast basis points and a slippage of $slippage ppm are $speed', (row) => {
    const asked = {
      side: 'in' as const,
      amount: toBaseUnits(BigInt(row.asked)),
      slippage: row.slippage as PartsPerMillion,
    };
    expect(termsOf(asked, ratesOf(row.fast, 0), 'fast')?.speed).toBe(row.speed);
  });

  it('are standard where the attesters offer nothing faster', () => {
    const asked = { side: 'in' as const, amount: toBaseUnits(10n ** 9n), slippage: 5000n as PartsPerMillion };
    const rates = { fast: undefined, standard: parseFeeRate(0)! };
    expect(termsOf(asked, rates, 'fast')).toMatchObject({
      speed: 'standard',
      maxFee: 0n,
      expectedAmountOut: 10n ** 9n,
    });
  });
});
