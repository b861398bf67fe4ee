import fc from 'fast-check';
import { units } from '../../../test/swaps/swap-world';
import type { RampFee } from '../../ramps/ramp-provider';
import type { ProviderFee } from '../quote-provider';
import { rampSwapFees, type RampSwapFeeParts } from './ramp-swap-fees';

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });

const legOf = (amountIn: bigint, out: bigint, fees: readonly ProviderFee[] = []): RampSwapFeeParts['leg'] => ({
  amountIn: units(amountIn),
  expectedAmountOut: units(out),
  fees,
});
const rampFee = (asset: RampFee['asset'], value: bigint): RampFee => ({
  label: 'Wire fee',
  asset,
  amount: units(value),
});
const legFee = (asset: ProviderFee['asset'], value: bigint): ProviderFee => ({
  label: 'Transfer fee',
  asset,
  amount: units(value),
});

describe('the fees of a ramp combined with a swap', () => {
  it('are converted to the sold token', () => {
    // 100 BRLA for 18.5 USDC; the ramp charges 15 USDC for a wire.
    const leg = legOf(100n * 10n ** 18n, 18_500_000n);
    expect(rampSwapFees({ leg, rampFees: [rampFee('in', 15_000_000n)], isOnRamp: false })).toEqual([
      { kind: 'paymentRail', label: 'Wire fee', asset: 'tokenIn', amount: 81_081_081_081_081_081_081n },
    ]);
  });

  it('are converted to the bought token for on-ramps', () => {
    const leg = legOf(20_000_000n, 10n ** 16n);
    expect(rampSwapFees({ leg, rampFees: [rampFee('out', 2_000_000n)], isOnRamp: true })).toEqual([
      { kind: 'paymentRail', label: 'Wire fee', asset: 'tokenOut', amount: 10n ** 15n },
    ]);
  });

  it.each([true, false])('stay as they are on the sides that the caller named (money in: %s)', (isOnRamp) => {
    const [named, fiat] = isOnRamp ? (['tokenOut', 'tokenIn'] as const) : (['tokenIn', 'tokenOut'] as const);
    const fees = [legFee(named, 7n)];
    const rampFees = [rampFee(isOnRamp ? 'in' : 'out', 49n)];
    expect(rampSwapFees({ leg: legOf(100n, 90n, fees), rampFees, isOnRamp })).toEqual([
      legFee(named, 7n),
      { kind: 'paymentRail', label: 'Wire fee', asset: fiat, amount: 49n },
    ]);
  });

  it('are converted at the rate of the leg before its own fees, rounded down', () => {
    fc.assert(
      fc.property(fc.tuple(amount, amount, amount, amount), amount, fc.boolean(), (parts, charged, isOnRamp) => {
        const [changed, given, feeIn, feeOut] = parts;
        const fees = [legFee('tokenIn', feeIn), legFee('tokenOut', feeOut)];
        const leg = legOf(changed + feeIn, given, fees);
        const rampFees = [rampFee(isOnRamp ? 'out' : 'in', charged)];
        const converted = rampSwapFees({ leg, rampFees, isOnRamp });
        const named = isOnRamp ? 'tokenOut' : 'tokenIn';
        expect(converted.every(({ asset, amount: each }) => asset === named && each > 0n)).toBe(true);
        const [numerator, denominator] = isOnRamp ? [given + feeOut, changed] : [changed, given + feeOut];
        const rail = converted.find(({ kind }) => kind === 'paymentRail')?.amount ?? 0n;
        expect(rail * denominator).toBeLessThanOrEqual(charged * numerator);
        expect((rail + 1n) * denominator).toBeGreaterThan(charged * numerator);
      }),
    );
  });
});
