import { toBaseUnits } from '../../money/base-units';
import type { RampFee } from '../../ramps/ramp-provider';
import type { ProviderFee, ProviderQuote } from '../quote-provider';
import { providerFee } from './ramp-venue';

export interface ComposedParts {
  /** Between the wallet's token and the anchor. */
  readonly leg: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'fees'>;
  readonly rampFees: readonly RampFee[];
  /** True when the ramp's part comes first. */
  readonly isOnRamp: boolean;
}

/**
 * What a ramp and the leg from or to it charge, in the tokens that the caller named: charges in the anchor are told in the
 * token at the other end of the leg, at the leg's own rate, rounded down. Less than one unit is not told.
 */
export function composedFees({ leg, rampFees, isOnRamp }: ComposedParts): readonly ProviderFee[] {
  const named = isOnRamp ? 'tokenOut' : 'tokenIn';
  const toNamed = converter(leg, named);
  const anchorSide = isOnRamp ? 'out' : 'in';
  const ofLeg = (leg.fees ?? []).map((fee) => (fee.asset === named ? fee : toNamed(fee)));
  const ofRamp = rampFees.map((fee) => (fee.asset === anchorSide ? toNamed(providerFee(fee)) : providerFee(fee)));
  return [...ofLeg, ...ofRamp].filter(({ amount }) => amount > 0n);
}

/** From the anchor's units to those of the wallet's token, as the leg changes one for the other when its fees are taken off. */
function converter({ amountIn, expectedAmountOut, fees = [] }: ComposedParts['leg'], named: ProviderFee['asset']) {
  const feesIn = (side: ProviderFee['asset']): bigint =>
    fees.reduce((sum, { asset, amount }) => (asset === side ? sum + amount : sum), 0n);
  const [changed, given] = [amountIn - feesIn('tokenIn'), expectedAmountOut + feesIn('tokenOut')];
  const [numerator, denominator] = named === 'tokenIn' ? [changed, given] : [given, changed];
  return (fee: ProviderFee): ProviderFee => ({
    ...fee,
    asset: named,
    amount: toBaseUnits(denominator > 0n ? (fee.amount * numerator) / denominator : 0n),
  });
}
