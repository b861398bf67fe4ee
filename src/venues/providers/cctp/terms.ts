import { toBaseUnits } from '../../../money/base-units';
import { lessShare, plusShare } from '../../../money/slippage';
import type { ProviderQuote, QuoteRequest, TransferSpeed } from '../../quote-provider';
import { feeOn, type FeeRate, grossOf } from './fee-rate';

/** What the attesters charge on a route now. A route without a fast rate knows standard transfers only. */
export interface FeeRates {
  readonly fast: FeeRate | undefined;
  readonly standard: FeeRate;
}

/** Amounts of a transfer, in base units of USDC. */
export interface Terms extends Pick<ProviderQuote, 'amountIn' | 'maxAmountIn' | 'expectedAmountOut' | 'minAmountOut'> {
  readonly speed: TransferSpeed;
  /** What the attesters are expected to take, and the most they may. */
  readonly fee: bigint;
  readonly maxFee: bigint;
}

/**
 * The attesters charge what they ask for when they see the burn, and do not hurry, or never attest, a burn that allows
 * less. Circle advises to allow 10 to 20 % more than the fee of the moment: this much if the slippage permits, and a fast
 * transfer not without the least of it.
 *
 * @see https://developers.circle.com/cctp/concepts/fees
 */
const MARGIN_PERCENT = { usual: 20n, least: 10n };

/** A rate that has risen by so many hundredths of itself. */
const raised = ({ numerator, denominator }: FeeRate, percent: bigint): FeeRate => ({
  numerator: numerator * (100n + percent),
  denominator: denominator * 100n,
});

type Asked = Pick<QuoteRequest, 'side' | 'amount' | 'slippage'>;

/**
 * The terms of a transfer at the first of the speeds whose fee fits amount and slippage; `undefined` when the amount does
 * not even cover the fee.
 */
export function termsOf(asked: Asked, rates: FeeRates, wanted: TransferSpeed): Terms | undefined {
  const fast = wanted === 'fast' && rates.fast !== undefined ? termsAt(asked, rates.fast, 'fast') : undefined;
  return fast ?? termsAt(asked, rates.standard, 'standard');
}

const termsAt = (asked: Asked, rate: FeeRate, speed: TransferSpeed): Terms | undefined =>
  asked.side === 'in' ? exactIn(asked, rate, speed) : exactOut(asked, rate, speed);

function exactIn({ amount, slippage }: Asked, rate: FeeRate, speed: TransferSpeed): Terms | undefined {
  const fee = feeOn(amount, rate);
  if (fee >= amount) return undefined;
  const expectedAmountOut = toBaseUnits(amount - fee);
  const least = lessShare(expectedAmountOut, slippage);
  const most = amount - (least > 0n ? least : 1n);
  const maxFee = lesserOf(feeOn(amount, raised(rate, MARGIN_PERCENT.usual)), most);
  if (speed === 'fast' && maxFee < feeOn(amount, raised(rate, MARGIN_PERCENT.least))) return undefined;
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
 * The burn is as large as the fee of the moment needs, and allows no higher one: exactly `amount` arrives, never less. The
 * fee is looked up again when the call is built, and should it rise between the call and the burn, the transfer waits for
 * finality and costs nothing.
 */
function exactOut({ amount, slippage }: Asked, rate: FeeRate, speed: TransferSpeed): Terms {
  const amountIn = toBaseUnits(grossOf(amount, rate));
  const fee = amountIn - amount;
  const later = raised(rate, MARGIN_PERCENT.usual);
  const most = plusShare(amountIn, slippage);
  return {
    amountIn,
    maxAmountIn: toBaseUnits(isWhole(later) ? most : lesserOf(grossOf(amount, later), most)),
    expectedAmountOut: amount,
    minAmountOut: amount,
    speed,
    fee,
    maxFee: fee,
  };
}

const isWhole = ({ numerator, denominator }: FeeRate): boolean => numerator >= denominator;
const lesserOf = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The least amount in that anything is left of. */
export const leastAmountIn = ({ standard }: FeeRates): bigint => grossOf(1n, standard);
