import { minBigInt } from '../money/min-max';

/** An exact input above the bound. */
export interface RejectedInput {
  readonly amountIn: bigint;
  /** Price impact in basis points, rounded up; `undefined` for an amount that cannot be filled. */
  readonly impactBps: number | undefined;
}

/** An exact input with its expected output. */
export interface PricedInput extends RejectedInput {
  readonly amountOut: bigint;
  readonly impactBps: number;
}

export interface LargestTradeSearch {
  readonly rejected: RejectedInput;
  readonly maximumBps: number;
  /** Prices an exact input: `tooHigh` when it cannot be filled, `undefined` when there is no price for another reason. */
  readonly price: (amountIn: bigint) => Promise<PricedInput | 'tooHigh' | undefined>;
}

export interface LargestTrade {
  /** The largest input within the bound that was found; `undefined` when none was. */
  readonly accepted: PricedInput | undefined;
  /** The smallest input above the bound that was tried. */
  readonly rejected: RejectedInput;
}

const BPS = 10_000n;
/** Prices that are requested at most. */
const MAX_STEPS = 6;
/** The search ends when the two inputs differ by less than the larger one divided by this. */
const PRECISION = 25n;
/** The search ends at this share of the bound, in percent. */
const CLOSE_PERCENT = 95n;
/** Impacts from here on say nothing about the amount: they differ by less than a basis point. */
const WHOLE_IMPACT_BPS = 9999;

/**
 * Searches the largest input whose price impact is within the bound, to a few percent. The next input is estimated as in a
 * constant-product pool, where the impact of one input gives that of every other. The search ends when a smaller input loses
 * as large a share as the larger one: the cause is a fixed cost or a wrong price, for which an even smaller input is no better.
 */
export async function findLargestTrade({ price, ...search }: LargestTradeSearch): Promise<LargestTrade> {
  let accepted: PricedInput | undefined;
  let { rejected } = search;
  for (let step = 0; step < MAX_STEPS; step++) {
    const amountIn = nextInput({ accepted, rejected, maximumBps: BigInt(search.maximumBps) });
    if (amountIn === undefined) break;
    const priced = await price(amountIn);
    if (priced === undefined) break;
    if (priced === 'tooHigh') rejected = { amountIn, impactBps: undefined };
    else if (priced.impactBps <= search.maximumBps) accepted = priced;
    else if (isNotLower(priced, rejected)) break;
    else rejected = priced;
  }
  return { accepted, rejected };
}

const isNotLower = ({ impactBps }: PricedInput, larger: RejectedInput): boolean =>
  larger.impactBps !== undefined && impactBps >= larger.impactBps && impactBps < WHOLE_IMPACT_BPS;

interface Bracket extends LargestTrade {
  readonly maximumBps: bigint;
}

/** The next input to price; `undefined` when the bracket is narrow enough. */
function nextInput({ accepted, rejected, maximumBps }: Bracket): bigint | undefined {
  const [low, high] = [accepted?.amountIn ?? 0n, ceilingOf(rejected, maximumBps)];
  if (accepted !== undefined && isClose(accepted, { high, maximumBps })) return undefined;
  const estimate = estimateInput(accepted ?? rejected, maximumBps);
  const isInside = estimate !== undefined && estimate > low && estimate < high;
  const next = roundDown(isInside ? estimate : (low + high) / 2n);
  return next > low ? next : undefined;
}

/** The output of a smaller input is not larger: an input above this one loses more than the bound as well. */
function ceilingOf({ amountIn, impactBps }: RejectedInput, maximumBps: bigint): bigint {
  if (impactBps === undefined) return amountIn;
  // The impact is rounded up.
  const maxOutputBps = BPS + 1n - minBigInt(BigInt(impactBps), BPS);
  return minBigInt(amountIn, (amountIn * maxOutputBps) / (BPS - maximumBps));
}

const isClose = (
  { amountIn, impactBps }: PricedInput,
  { high, maximumBps }: { readonly high: bigint; readonly maximumBps: bigint },
): boolean => BigInt(impactBps) * 100n >= maximumBps * CLOSE_PERCENT || (high - amountIn) * PRECISION < high;

/** The input with an impact just below the bound, if its pool is a constant-product pool. */
function estimateInput({ amountIn, impactBps }: RejectedInput, maximumBps: bigint): bigint | undefined {
  if (impactBps === undefined || impactBps <= 0) return undefined;
  const impact = minBigInt(BigInt(impactBps), BPS - 1n);
  const target = (maximumBps * (100n + CLOSE_PERCENT)) / 200n;
  return (amountIn * (BPS - impact) * target) / (impact * (BPS - target));
}

/** Significant digits of an input that is named to a caller. */
const DIGITS = 4;

function roundDown(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, amount.toString().length - DIGITS));
  return (amount / unit) * unit;
}
