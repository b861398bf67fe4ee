import type { Address } from 'viem';
import type { Pool } from '../../../pools/pool';
import { candidateRoutes } from './candidates';
import { exchange, type Exchange, fits, type Route } from './exchange';
import { gasOf, type GasWorth } from './gas';
import type { Market } from './market';
import { divide, type Division, type Given, refine, type Scale, scaleOf, valueOf } from './split';
import { tokenPaths } from './token-paths';

export interface SearchQuestion extends Given {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly connectors: readonly Address[];
  /** How many ends of the trade are the native coin. */
  readonly coins: number;
  /** In the token of the side that is not given; without it, nothing says whether a split pays for its gas. */
  readonly gasWorth: GasWorth | undefined;
}

/** A trade over one to three ways that share no pool. */
export interface Plan {
  readonly ways: readonly [Exchange, ...Exchange[]];
  readonly gas: bigint;
  /** What comes out, or less what goes in, less the gas. */
  readonly net: bigint;
}

export interface Findings {
  /** The best of all; `undefined` when nothing fills the amount. */
  readonly best: Plan | undefined;
  /** The best over a single way. */
  readonly single: Plan | undefined;
  /** Pools of which more has to be known before `best` can be relied on. */
  readonly vague: readonly Pool[];
  /** All routes that were looked at. */
  readonly routes: readonly Route[];
}

/** Routes that are combined, by what they give for everything and by what they give for a little. */
const COMBINED = 28;
const NOTHING = { ticks: 0, words: 0 };
/** Divisions among two that are tried with every third. */
const EXTENDED = 16;
/** Divisions among two, and among three, that are refined. */
const REFINED = 3;

/** Finds the best trade in a market, in memory. */
export function search(market: Market, question: SearchQuestion): Findings {
  const { side, amount, connectors, tokenIn, tokenOut } = question;
  const paths = tokenPaths(connectors, tokenIn, tokenOut);
  const amounts = [amount, amount / 4n, amount / 16n].filter((each) => each > 0n);
  const routes = candidateRoutes(market, { paths, side, amounts });
  const plan = (ways: readonly Exchange[]): readonly Plan[] => planOf(ways, question);
  const singles = routes.flatMap((route) => {
    const filled = fits(route, side)(amount) ? exchange(route, side, amount) : undefined;
    return filled === undefined ? [] : plan([filled]);
  });
  // A route that is cheap but pays nothing is no better than a dear one that pays less than its gas.
  const paying = singles.filter(({ ways: [{ amountOut }] }) => amountOut > 0n);
  const single = bestOf(paying.length > 0 ? paying : singles);
  const splits = question.gasWorth === undefined ? [] : divisions(routes, question);
  const plans = splits.flatMap((division) => plan(refine(division, question) ?? []));
  const best = bestOf([...(single === undefined ? [] : [single]), ...plans]);
  const vague = [best, single].flatMap((each) => each?.ways.flatMap((way) => way.vague) ?? []);
  return { best, single, vague, routes };
}

function planOf(ways: readonly Exchange[], { side, coins, gasWorth }: SearchQuestion): readonly Plan[] {
  const [first, ...others] = ways;
  if (first === undefined) return [];
  const gas = gasOf(ways, { side, coins });
  const value = ways.reduce((sum, way) => sum + valueOf(way, side), 0n);
  return [{ ways: [first, ...others], gas, net: value - (gasWorth?.(gas) ?? 0n) }];
}

/** The first one when several are as good. */
const bestOf = (plans: readonly Plan[]): Plan | undefined =>
  plans.reduce<Plan | undefined>((best, plan) => (best === undefined || plan.net > best.net ? plan : best), undefined);

/** The most promising divisions among two and among three routes without a common pool. */
function divisions(routes: readonly Route[], question: SearchQuestion): readonly Division[] {
  const scales = promising(routes.map((route) => scaleOf(route, question)).filter(({ start }) => start !== 0n));
  const pairs = scales.flatMap((one, index) =>
    scales.slice(index + 1).flatMap((other) => (areApart(one, other) ? divide([one, other]) : [])),
  );
  // Three good ways hold two good ones.
  const triples = new Map<string, readonly Scale[]>();
  for (const { scales: pair } of mostValuable(pairs, question, EXTENDED)) {
    for (const third of scales) {
      if (!pair.every((scale) => areApart(scale, third))) continue;
      const three = [...pair, third];
      triples.set(setName(three.map((scale) => scales.indexOf(scale))), three);
    }
  }
  const divided = [...triples.values()].flatMap(divide);
  return [...mostValuable(pairs, question, REFINED), ...mostValuable(divided, question, REFINED)];
}

const setName = (indexes: readonly number[]): string => indexes.toSorted((one, other) => one - other).join();

function mostValuable(
  found: readonly Division[],
  { side, coins, gasWorth }: SearchQuestion,
  count: number,
): readonly Division[] {
  const ranked = found.map((division) => {
    const gas = gasOf(
      division.scales.map(({ route }) => ({ route, passed: NOTHING })),
      { side, coins },
    );
    return { division, net: division.value - (gasWorth?.(gas) ?? 0n) };
  });
  return ranked
    .sort((one, other) => descending(one.net, other.net))
    .slice(0, count)
    .map(({ division }) => division);
}

const descending = (one: bigint, other: bigint): number => (one === other ? 0 : one > other ? -1 : 1);

function areApart(one: Scale, other: Scale): boolean {
  return one.route.every(({ pool }) => other.route.every((hop) => hop.pool.address !== pool.address));
}

/** Those that give most for the whole amount, and those that give most for a part of it. */
function promising(scales: readonly Scale[]): readonly Scale[] {
  if (scales.length <= COMBINED) return scales;
  const whole = (scale: Scale): bigint => scale.gains.reduce((sum, gain) => sum + gain, 0n);
  const byParts = scales.toSorted((one, other) => descending(one.start, other.start));
  const byWhole = scales.toSorted((one, other) =>
    one.gains.length === other.gains.length
      ? descending(whole(one), whole(other))
      : other.gains.length - one.gains.length,
  );
  const chosen = new Set<Scale>();
  for (let rank = 0; chosen.size < COMBINED; rank += 1) {
    for (const ranked of [byParts, byWhole]) {
      const scale = ranked[rank];
      if (scale !== undefined && chosen.size < COMBINED) chosen.add(scale);
    }
  }
  return [...chosen];
}
