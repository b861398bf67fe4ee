import { exchange, type Exchange, fits, type Route, type Side } from './exchange';

/** An exact amount on one side of a trade. */
export interface Given {
  readonly side: Side;
  readonly amount: bigint;
}

/** A trade is handed out in this many equal parts before the best divisions are refined. */
const PARTS = 20;
/** The refinement ends with steps of this share of the amount: what is left to gain shrinks with its square. */
const FINEST = 1n << 17n;
/** Ways with less than this share of the amount are not worth showing. */
const SMALLEST = 1000n;

/** What a route comes to for 1, 2, 3 … parts of the amount, as far as they fit. More is better on both sides. */
export interface Scale {
  readonly route: Route;
  /** What each further part adds. */
  readonly gains: readonly bigint[];
  /** What a part would add if it were as good as its first tenth. */
  readonly start: bigint;
}

/** More is better: what comes out, or less what goes in. */
export const valueOf = ({ amountIn, amountOut }: Exchange, side: Side): bigint =>
  side === 'in' ? amountOut : -amountIn;

export function scaleOf(route: Route, { side, amount }: Given): Scale {
  const isPossible = fits(route, side);
  const valueAt = (share: bigint): bigint | undefined => {
    const filled = isPossible(share) ? exchange(route, side, share) : undefined;
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
  return { route, gains, start: (valueAt(amount / BigInt(10 * PARTS)) ?? 0n) * 10n };
}

/** How many parts go through each of some routes that share no pool. */
export interface Division {
  readonly scales: readonly Scale[];
  readonly parts: readonly number[];
  readonly value: bigint;
}

/**
 * The best division among the routes: each part goes where it adds most, since what a route adds only shrinks. A route
 * that gets no part stays when less than one is worth more there than anywhere else. None when the routes cannot take
 * everything, or one of them is not needed.
 */
export function divide(scales: readonly Scale[]): readonly Division[] {
  const parts = scales.map(() => 0);
  let [value, least] = [0n, 0n];
  for (let part = 0; part < PARTS; part += 1) {
    const index = mostGaining(scales, parts);
    const gain = scales[index]?.gains[parts[index] ?? 0];
    if (gain === undefined) return [];
    parts[index] = (parts[index] ?? 0) + 1;
    value += gain;
    least = gain;
  }
  const empty = scales.filter((_, index) => parts[index] === 0);
  if (empty.some(({ start }) => start <= least)) return [];
  const hoped = empty.reduce((sum, { start }) => sum + (start - least) / 10n, 0n);
  return [{ scales, parts, value: value + hoped }];
}

/** The route to which another part adds most; -1 when none can take it. */
function mostGaining(scales: readonly Scale[], parts: readonly number[]): number {
  let best = -1;
  let most: bigint | undefined;
  scales.forEach(({ gains }, index) => {
    const gain = gains[parts[index] ?? 0];
    if (gain === undefined || (most !== undefined && gain <= most)) return;
    [best, most] = [index, gain];
  });
  return best;
}

/** The ways of a division, with amounts moved between them for as long as that gains anything. */
export function refine({ scales, parts }: Division, given: Given): readonly Exchange[] | undefined {
  const { side, amount } = given;
  const possible = scales.map(({ route }) => fits(route, side));
  const fill = (index: number, share: bigint): Exchange | undefined => {
    const route = scales[index]?.route;
    return route !== undefined && possible[index]?.(share) === true ? exchange(route, side, share) : undefined;
  };
  const shares = parts.map((count) => (amount * BigInt(count)) / BigInt(PARTS));
  shares[0] = (shares[0] ?? 0n) + amount - shares.reduce((sum, share) => sum + share, 0n);
  const ways = shares.flatMap((share, index) => fill(index, share) ?? []);
  if (ways.length < scales.length) return undefined;
  for (let step = amount / BigInt(2 * PARTS); step > amount / FINEST && step > 0n; step /= 2n) {
    while (moveOne({ ways, shares, side, fill }, step));
  }
  const smallest = amount / SMALLEST;
  return shares.some((share) => share < smallest) ? undefined : ways;
}

interface Ways {
  readonly ways: Exchange[];
  readonly shares: bigint[];
  readonly side: Side;
  readonly fill: (index: number, share: bigint) => Exchange | undefined;
}

/** Moves one step to where it gains most; false when it gains nowhere. */
function moveOne({ ways, shares, side, fill }: Ways, step: bigint): boolean {
  const less = shares.map((share, index) => (share > step ? fill(index, share - step) : undefined));
  const more = shares.map((share, index) => fill(index, share + step));
  const change = (changed: Exchange | undefined, index: number): bigint | undefined => {
    const current = ways[index];
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
  [ways[from], ways[to]] = [lesser, greater];
  shares[from] = (shares[from] ?? 0n) - step;
  shares[to] = (shares[to] ?? 0n) + step;
  return true;
}
