import { toBaseUnits } from '../../money/base-units';
import type { RampFee } from '../../ramps/ramp-provider';
import type { ProviderFee, ProviderQuote } from '../quote-provider';
import { providerFee } from './ramp-quote-provider';

export interface RampSwapFeeParts {
  /** The leg between the wallet token and the ramp token. */
  readonly leg: Pick<ProviderQuote, 'amountIn' | 'expectedAmountOut' | 'fees'>;
  readonly rampFees: readonly RampFee[];
  /** True when the ramp comes first. */
  readonly isOnRamp: boolean;
}

/**
 * Fees of the ramp and of the leg in the tokens of the request. Fees in the ramp token are converted at the rate of the
 * leg, rounded down; fees below one base unit are omitted.
 */
export function rampSwapFees({ leg, rampFees, isOnRamp }: RampSwapFeeParts): readonly ProviderFee[] {
  const named = isOnRamp ? 'tokenOut' : 'tokenIn';
  const toNamed = converter(leg, named);
  const anchorSide = isOnRamp ? 'out' : 'in';
  const ofLeg = (leg.fees ?? []).map((fee) => (fee.asset === named ? fee : toNamed(fee)));
  const ofRamp = rampFees.map((fee) => (fee.asset === anchorSide ? toNamed(providerFee(fee)) : providerFee(fee)));
  return [...ofLeg, ...ofRamp].filter(({ amount }) => amount > 0n);
}

/** Converts a fee from the ramp token to the wallet token at the rate of the leg before its own fees. */
function converter({ amountIn, expectedAmountOut, fees = [] }: RampSwapFeeParts['leg'], named: ProviderFee['asset']) {
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
