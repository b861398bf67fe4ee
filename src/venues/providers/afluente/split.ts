import { quoteRoute, type RouteQuote, liquidityCheck, type PoolRoute, type Side } from './route-quote';

/** An exact amount on one side of a trade. */
export interface ExactAmount {
  readonly side: Side;
  readonly amount: bigint;
}

/** A trade is first allocated in this many equal parts; the best allocations are refined afterwards. */
const PARTS = 20;
/** The last refinement step, as a share of the amount: the remaining gain shrinks with the square of the step. */
const FINEST_STEP = 1n << 17n;
/** Allocations with a smaller split, as a share of the amount, are discarded. */
const MIN_SPLIT = 1000n;

/** Marginal outputs of a route for each further part of the amount, as far as its liquidity allows. More is better on both sides. */
export interface MarginalOutputs {
  readonly route: PoolRoute;
  /** Gain of each further part. */
  readonly gains: readonly bigint[];
  /** Gain of a part at the rate of its first tenth. */
  readonly initialGain: bigint;
}

/** The output, or the negative input for an exact output. More is better. */
export const valueOf = ({ amountIn, amountOut }: RouteQuote, side: Side): bigint =>
  side === 'in' ? amountOut : -amountIn;

export function marginalOutputs(route: PoolRoute, { side, amount }: ExactAmount): MarginalOutputs {
  const isLiquid = liquidityCheck(route, side);
  const valueAt = (share: bigint): bigint | undefined => {
    const filled = isLiquid(share) ? quoteRoute(route, side, share) : undefined;
    return filled === undefined ? undefined : valueOf(filled, side);
  };
  const gains: bigint[] = [];
  let before = 0n;
  for (let part = 1n; part <= PARTS; part += 1n) {
    const value = valueAt((amount * part) / BigInt(PARTS));
    if (value === undefined) break;
    gains.push(value - before);
    before = value;
  }
  return { route, gains, initialGain: (valueAt(amount / BigInt(10 * PARTS)) ?? 0n) * 10n };
}

/** The number of parts that go through each of a few routes without a common pool. */
export interface Allocation {
  readonly candidates: readonly MarginalOutputs[];
  readonly parts: readonly number[];
  readonly value: bigint;
}

/**
 * Allocates each part to the route with the largest marginal output; marginal outputs only shrink. A route without a part
 * stays when a fraction of a part gains more there than on every other route. Empty when the routes cannot fill the
 * amount, or one of them is not needed.
 */
export function allocate(candidates: readonly MarginalOutputs[]): readonly Allocation[] {
  const parts = candidates.map(() => 0);
  let [value, lowest] = [0n, 0n];
  for (let part = 0; part < PARTS; part += 1) {
    const index = bestCandidate(candidates, parts);
    const gain = candidates[index]?.gains[parts[index] ?? 0];
    if (gain === undefined) return [];
    parts[index] = (parts[index] ?? 0) + 1;
    value += gain;
    lowest = gain;
  }
  const empty = candidates.filter((_, index) => parts[index] === 0);
  if (empty.some(({ initialGain }) => initialGain <= lowest)) return [];
  const fractions = empty.reduce((sum, { initialGain }) => sum + (initialGain - lowest) / 10n, 0n);
  return [{ candidates, parts, value: value + fractions }];
}

/** Index of the route with the largest gain for another part; -1 when no route can fill it. */
function bestCandidate(candidates: readonly MarginalOutputs[], parts: readonly number[]): number {
  let best = -1;
  let highest: bigint | undefined;
  candidates.forEach(({ gains }, index) => {
    const gain = gains[parts[index] ?? 0];
    if (gain === undefined || (highest !== undefined && gain <= highest)) return;
    [best, highest] = [index, gain];
  });
  return best;
}

/** Moves amounts between the splits of an allocation for as long as that improves the result. */
export function refineAllocation(
  { candidates, parts }: Allocation,
  given: ExactAmount,
): readonly RouteQuote[] | undefined {
  const { side, amount } = given;
  const checks = candidates.map(({ route }) => liquidityCheck(route, side));
  const fill = (index: number, share: bigint): RouteQuote | undefined => {
    const route = candidates[index]?.route;
    return route !== undefined && checks[index]?.(share) === true ? quoteRoute(route, side, share) : undefined;
  };
  const shares = parts.map((count) => (amount * BigInt(count)) / BigInt(PARTS));
  shares[0] = (shares[0] ?? 0n) + amount - shares.reduce((sum, share) => sum + share, 0n);
  const splits = shares.flatMap((share, index) => fill(index, share) ?? []);
  if (splits.length < candidates.length) return undefined;
  for (let step = amount / BigInt(2 * PARTS); step > amount / FINEST_STEP && step > 0n; step /= 2n) {
    while (shiftOneStep({ splits, shares, side, fill }, step));
  }
  const minSplit = amount / MIN_SPLIT;
  return shares.some((share) => share < minSplit) ? undefined : splits;
}

interface SplitState {
  readonly splits: RouteQuote[];
  readonly shares: bigint[];
  readonly side: Side;
  readonly fill: (index: number, share: bigint) => RouteQuote | undefined;
}

/** Moves one step of the amount between the two splits where that gains most; false when no move gains. */
function shiftOneStep({ splits, shares, side, fill }: SplitState, step: bigint): boolean {
  const less = shares.map((share, index) => (share > step ? fill(index, share - step) : undefined));
  const more = shares.map((share, index) => fill(index, share + step));
  const change = (changed: RouteQuote | undefined, index: number): bigint | undefined => {
    const current = splits[index];
    return changed === undefined || current === undefined ? undefined : valueOf(changed, side) - valueOf(current, side);
  };
  const [losses, gains] = [less.map(change), more.map(change)];
  let best: { readonly from: number; readonly to: number; readonly gain: bigint } | undefined;
  losses.forEach((loss, from) => {
    gains.forEach((gain, to) => {
      if (from === to || loss === undefined || gain === undefined) return;
      if (loss + gain > (best?.gain ?? 0n)) best = { from, to, gain: loss + gain };
    });
  });
  if (best === undefined) return false;
  const { from, to } = best;
  const [lesser, greater] = [less[from], more[to]];
  if (lesser === undefined || greater === undefined) return false;
  [splits[from], splits[to]] = [lesser, greater];
  shares[from] = (shares[from] ?? 0n) - step;
  shares[to] = (shares[to] ?? 0n) + step;
  return true;
}
