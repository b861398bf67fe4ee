import type { HopState } from '../../../pools/hop-state';
import type { PoolRoute, Side } from './route-quote';
import type { PoolGraph } from './pool-graph';
import type { TokenPath } from '../../../chains/trading-paths';

interface CandidateParameters {
  readonly paths: readonly TokenPath[];
  readonly side: Side;
  /** Exact amounts. Each has its own candidates: the best route depends on the amount. */
  readonly amounts: readonly bigint[];
}

/** Partial routes that are kept per hop of a token path (beam search). */
const BEAM_WIDTH = 5;

/** The best routes of every token path for each amount. No token, and hence no pool, appears twice in a route. */
export function findCandidateRoutes(
  graph: PoolGraph,
  { paths, side, amounts }: CandidateParameters,
): readonly PoolRoute[] {
  const routes = new Map<string, PoolRoute>();
  for (const amount of amounts) {
    for (const path of paths) {
      for (const { hops } of bestRoutesAlong(graph, path, { side, amount })) {
        const [first, ...others] = hops;
        if (first !== undefined) routes.set(nameOf(hops), [first, ...others]);
      }
    }
  }
  return [...routes.values()];
}

const nameOf = (hops: readonly HopState[]): string => hops.map(({ pool }) => pool.address).join(' ');

/** The first hops of a route, or its last hops for an exact output, and their computed amount. */
interface PartialRoute {
  readonly hops: readonly HopState[];
  readonly amount: bigint;
}

function bestRoutesAlong(
  graph: PoolGraph,
  path: TokenPath,
  { side, amount }: { readonly side: Side; readonly amount: bigint },
): readonly PartialRoute[] {
  const pairs = path.slice(1).map((token, index) => graph.hops(path[index] ?? token, token));
  if (pairs.some((hops) => hops.length === 0)) return [];
  let partials: readonly PartialRoute[] = [{ hops: [], amount }];
  for (const hops of side === 'in' ? pairs : pairs.toReversed()) {
    const extended = partials.flatMap((partial) => hops.flatMap((hop) => extendRoute(partial, hop, side)));
    partials = extended.sort((one, other) => compare(one, other, side)).slice(0, BEAM_WIDTH);
  }
  return partials;
}

function extendRoute(partial: PartialRoute, hop: HopState, side: Side): readonly PartialRoute[] {
  if (side === 'in') {
    const amount = partial.amount === 0n ? 0n : hop.quoteExactIn(partial.amount)?.amount;
    return amount === undefined ? [] : [{ hops: [...partial.hops, hop], amount }];
  }
  // V2 pools pay out what the rounded-up input buys, which exceeds the exact output.
  if (hop.pool.fee === undefined) return [];
  const quote = hop.quoteExactOut(partial.amount);
  return quote === undefined ? [] : [{ hops: [hop, ...partial.hops], amount: quote.amount }];
}

function compare(one: PartialRoute, other: PartialRoute, side: Side): number {
  if (one.amount === other.amount) return 0;
  return one.amount > other.amount === (side === 'in') ? -1 : 1;
}
