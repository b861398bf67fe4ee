import type { LiveHop } from '../../../pools/live-hop';
import type { Route, Side } from './exchange';
import type { Market } from './market';
import type { TokenPath } from './token-paths';

export interface CandidateQuestion {
  readonly paths: readonly TokenPath[];
  readonly side: Side;
  /** On the given side. Other routes are best for other amounts: each amount has its candidates. */
  readonly amounts: readonly bigint[];
}

/** Routes over one path of tokens that are followed further: the pools of a pair differ in few ways. */
const WIDTH = 5;

/** The best routes of every path, for each of the amounts. No token, and hence no pool, comes twice in one. */
export function candidateRoutes(market: Market, { paths, side, amounts }: CandidateQuestion): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const amount of amounts) {
    for (const path of paths) {
      for (const { hops } of bestAlong(market, path, { side, amount })) {
        const [first, ...others] = hops;
        if (first !== undefined) routes.set(nameOf(hops), [first, ...others]);
      }
    }
  }
  return [...routes.values()];
}

const nameOf = (hops: readonly LiveHop[]): string => hops.map(({ pool }) => pool.address).join(' ');

/** The first hops of a route, or the last ones when the amount out is given, and what they come to. */
interface Part {
  readonly hops: readonly LiveHop[];
  readonly amount: bigint;
}

function bestAlong(
  market: Market,
  path: TokenPath,
  { side, amount }: { readonly side: Side; readonly amount: bigint },
): readonly Part[] {
  const pairs = path.slice(1).map((token, index) => market.hops(path[index] ?? token, token));
  if (pairs.some((hops) => hops.length === 0)) return [];
  let parts: readonly Part[] = [{ hops: [], amount }];
  for (const hops of side === 'in' ? pairs : pairs.toReversed()) {
    const longer = parts.flatMap((part) => hops.flatMap((hop) => extended(part, hop, side)));
    parts = longer.sort((one, other) => compare(one, other, side)).slice(0, WIDTH);
  }
  return parts;
}

function extended(part: Part, hop: LiveHop, side: Side): readonly Part[] {
  if (side === 'in') {
    const amount = part.amount === 0n ? 0n : hop.sell(part.amount)?.amount;
    return amount === undefined ? [] : [{ hops: [...part.hops, hop], amount }];
  }
  // From V2 pools the router takes what the rounded amount in buys, which is more than the exact amount.
  if (hop.pool.fee === undefined) return [];
  const fill = hop.buy(part.amount);
  return fill === undefined ? [] : [{ hops: [hop, ...part.hops], amount: fill.amount }];
}

function compare(one: Part, other: Part, side: Side): number {
  if (one.amount === other.amount) return 0;
  return one.amount > other.amount === (side === 'in') ? -1 : 1;
}
