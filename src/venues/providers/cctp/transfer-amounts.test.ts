import fc from 'fast-check';
import { toBaseUnits } from '../../../money/base-units';
import { subtractShare, MAX_SLIPPAGE, MIN_SLIPPAGE, type PartsPerMillion, addShare } from '../../../money/slippage';
import { feeOn, parseFeeRate } from './fee-rate';
import { minAmountIn, type TransferAmounts, transferAmounts } from './transfer-amounts';

const basisPoints = fc.integer({ min: 0, max: 300 }).map((tenths) => tenths / 10);
const amountRequest = fc.record({
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

/** Checks the invariants of the amounts. */
function expectSound(request: Parameters<typeof transferAmounts>[0], amounts: TransferAmounts): void {
  const { amountIn, maxAmountIn, expectedAmountOut, minAmountOut, fee, maxFee } = amounts;
  expect(minAmountOut).toBeGreaterThan(0n);
  expect(minAmountOut).toBeLessThanOrEqual(expectedAmountOut);
  expect(amountIn).toBeLessThanOrEqual(maxAmountIn);
  expect(amountIn - fee).toBe(expectedAmountOut);
  expect(fee).toBeLessThanOrEqual(maxFee);
  expect(maxFee).toBeLessThan(amountIn);
  expect(amountIn - maxFee).toBe(minAmountOut);
  if (request.side === 'in') {
    expect({ amountIn, maxAmountIn }).toEqual({ amountIn: request.amount, maxAmountIn: request.amount });
    expect(minAmountOut).toBeGreaterThanOrEqual(subtractShare(expectedAmountOut, request.slippage));
  } else {
    expect({ expectedAmountOut, minAmountOut }).toEqual({
      expectedAmountOut: request.amount,
      minAmountOut: request.amount,
    });
    expect(maxAmountIn).toBeLessThanOrEqual(addShare(amountIn, request.slippage));
  }
}

describe('the amounts of a transfer', () => {
  it('add up and cover the fee for every amount, slippage and fee', () => {
    fc.assert(
      fc.property(amountRequest, speed, fc.tuple(basisPoints, basisPoints), (request, requestedSpeed, fees) => {
        const rates = ratesOf(...fees);
        const amounts = transferAmounts(request, rates, requestedSpeed);
        if (amounts === undefined) {
          expect(request.side).toBe('in');
          expect(request.amount).toBeLessThan(minAmountIn(rates));
          return;
        }
        expectSound(request, amounts);
        expect(amounts.fee).toBe(feeOn(amounts.amountIn, rates[amounts.speed]));
        if (requestedSpeed === 'standard') expect(amounts.speed).toBe('standard');
      }),
      { numRuns: 1000 },
    );
  });

  it('are fast only with a fee margin of a tenth, and have a margin of a fifth where the slippage permits', () => {
    fc.assert(
      fc.property(amountRequest, basisPoints, (request, fast) => {
        const amounts = transferAmounts({ ...request, side: 'in' }, ratesOf(fast, 0), 'fast')!;
        const minFee = feeOn(request.amount, parseFeeRate((fast * 1.1).toFixed(2))!);
        if (amounts.speed === 'fast') expect(amounts.maxFee).toBeGreaterThanOrEqual(minFee);
        const isTight = amounts.minAmountOut <= subtractShare(amounts.expectedAmountOut, request.slippage) + 1n;
        if (amounts.speed === 'fast' && !isTight) {
          expect(amounts.maxFee).toBe(feeOn(request.amount, parseFeeRate((fast * 1.2).toFixed(2))!));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    // 14 basis points with a slippage of one: a tenth more of the fee is 1.4, which exceeds the slippage.
    { request: '1000000000', fast: 14, slippage: 100n, speed: 'standard' },
    { request: '1000000000', fast: 14, slippage: 200n, speed: 'fast' },
    { request: '1000000000', fast: 1, slippage: 100n, speed: 'fast' },
    // The fee on one unit is one unit.
    { request: '1', fast: 1, slippage: 5000n, speed: 'standard' },
    { request: '2', fast: 1, slippage: 5000n, speed: 'fast' },
  ])('of $request units at $fast basis points and a slippage of $slippage ppm are $speed', (row) => {
    const request = {
      side: 'in' as const,
      amount: toBaseUnits(BigInt(row.request)),
      slippage: row.slippage as PartsPerMillion,
    };
    expect(transferAmounts(request, ratesOf(row.fast, 0), 'fast')?.speed).toBe(row.speed);
  });

  it('are standard where the route has no fast rate', () => {
    const request = { side: 'in' as const, amount: toBaseUnits(10n ** 9n), slippage: 5000n as PartsPerMillion };
    const rates = { fast: undefined, standard: parseFeeRate(0)! };
    expect(transferAmounts(request, rates, 'fast')).toMatchObject({
      speed: 'standard',
      maxFee: 0n,
      expectedAmountOut: 10n ** 9n,
    });
  });
});
