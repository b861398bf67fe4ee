import { toBaseUnits } from '../../../money/base-units';
import { addShare } from '../../../money/slippage';
import { minimumOutput } from '../../minimum-output';
import type { ProviderQuote, QuoteRequest, TransferSpeed } from '../../quote-provider';
import { feeOn, type FeeRate, grossOf } from './fee-rate';
import { minBigInt } from '../../../money/min-max';

/** Current fees of the attesters on a route. A route without a fast rate supports only standard transfers. */
export interface FeeRates {
  readonly fast: FeeRate | undefined;
  readonly standard: FeeRate;
}

/** Amounts of a transfer, in base units of USDC. */
export interface TransferAmounts extends Pick<
  ProviderQuote,
  'amountIn' | 'maxAmountIn' | 'expectedAmountOut' | 'minAmountOut'
> {
  readonly speed: TransferSpeed;
  /** Expected and maximum fee of the attesters. */
  readonly fee: bigint;
  readonly maxFee: bigint;
}

/**
 * The attesters charge their fee at the time of the burn. They attest a burn with a lower maximum fee only after finality,
 * or not at all. Circle recommends a margin of 10 to 20 % over the current fee: the usual margin where the slippage
 * permits it, and at least the minimum margin for a fast transfer.
 *
 * @see https://developers.circle.com/cctp/concepts/fees
 */
const MARGIN_PERCENT = { usual: 20n, minimum: 10n };

/** The rate raised by a percentage of itself. */
const withMargin = ({ numerator, denominator }: FeeRate, percent: bigint): FeeRate => ({
  numerator: numerator * (100n + percent),
  denominator: denominator * 100n,
});

type AmountRequest = Pick<QuoteRequest, 'side' | 'amount' | 'slippage'>;

/**
 * The amounts of a transfer at the effective speed, or at standard speed when the fast fee does not fit amount and
 * slippage; `undefined` when the amount does not cover the fee.
 */
export function transferAmounts(
  request: AmountRequest,
  rates: FeeRates,
  speed: TransferSpeed,
): TransferAmounts | undefined {
  const fast = speed === 'fast' && rates.fast !== undefined ? amountsAtSpeed(request, rates.fast, 'fast') : undefined;
  return fast ?? amountsAtSpeed(request, rates.standard, 'standard');
}

const amountsAtSpeed = (request: AmountRequest, rate: FeeRate, speed: TransferSpeed): TransferAmounts | undefined =>
  request.side === 'in' ? exactIn(request, rate, speed) : exactOut(request, rate, speed);

function exactIn(
  { amount, slippage }: AmountRequest,
  rate: FeeRate,
  speed: TransferSpeed,
): TransferAmounts | undefined {
  const fee = feeOn(amount, rate);
  if (fee >= amount) return undefined;
  const expectedAmountOut = toBaseUnits(amount - fee);
  const maxFeeBySlippage = amount - minimumOutput(expectedAmountOut, slippage);
  const maxFee = minBigInt(feeOn(amount, withMargin(rate, MARGIN_PERCENT.usual)), maxFeeBySlippage);
  if (speed === 'fast' && maxFee < feeOn(amount, withMargin(rate, MARGIN_PERCENT.minimum))) return undefined;
  return {
    amountIn: amount,
    maxAmountIn: amount,
    expectedAmountOut,
    minAmountOut: toBaseUnits(amount - maxFee),
    speed,
    fee,
    maxFee,
  };
}

/**
 * The burn covers exactly the current fee, so that exactly `amount` is minted. The fee is read again when the call is
 * built. If it rises between the call and the burn, the transfer waits for finality and is free.
 */
function exactOut({ amount, slippage }: AmountRequest, rate: FeeRate, speed: TransferSpeed): TransferAmounts {
  const amountIn = toBaseUnits(grossOf(amount, rate));
  const fee = amountIn - amount;
  const raisedRate = withMargin(rate, MARGIN_PERCENT.usual);
  const maxAmountIn = addShare(amountIn, slippage);
  return {
    amountIn,
    maxAmountIn: toBaseUnits(
      isFullAmount(raisedRate) ? maxAmountIn : minBigInt(grossOf(amount, raisedRate), maxAmountIn),
    ),
    expectedAmountOut: amount,
    minAmountOut: amount,
    speed,
    fee,
    maxFee: fee,
  };
}

const isFullAmount = ({ numerator, denominator }: FeeRate): boolean => numerator >= denominator;

/** The smallest amount that exceeds its fee. */
export const minAmountIn = ({ standard }: FeeRates): bigint => grossOf(1n, standard);
