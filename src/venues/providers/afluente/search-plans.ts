import type { Address } from 'viem';
import type { Pool } from '../../../pools/pool';
import { findCandidateRoutes } from './candidate-routes';
import { quoteRoute, type RouteQuote, liquidityCheck, type PoolRoute } from './route-quote';
import { estimateGas, type GasConverter } from './gas';
import type { PoolGraph } from './pool-graph';
import {
  allocate,
  type Allocation,
  type ExactAmount,
  refineAllocation,
  type MarginalOutputs,
  marginalOutputs,
  valueOf,
} from './split';
import { tokenPaths } from './token-paths';

export interface PlanRequest extends ExactAmount {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly connectors: readonly Address[];
  /** Number of ends of the trade that are the native coin: 0, 1 or 2. */
  readonly nativeEnds: number;
  /** Converts gas to the token of the computed side; without it trades are not split. */
  readonly gasConverter: GasConverter | undefined;
}

/** A trade over one to three splits without a common pool. */
export interface TradePlan {
  readonly splits: readonly [RouteQuote, ...RouteQuote[]];
  readonly gas: bigint;
  /** Value of the trade minus its gas. */
  readonly net: bigint;
}

export interface PlanSearchResult {
  /** The best plan; `undefined` when no route fills the amount. */
  readonly best: TradePlan | undefined;
  /** The best plan with a single split. */
  readonly single: TradePlan | undefined;
  /** Pools whose ticks have to be loaded further before `best` is exact. */
  readonly unresolved: readonly Pool[];
  /** All candidate routes. */
  readonly routes: readonly PoolRoute[];
}

/** Routes that are combined: the best for the whole amount and the best for a small part of it. */
const MAX_COMBINED = 28;
const NO_CROSSINGS = { ticks: 0, words: 0 };
/** Allocations over two routes that are extended by every third route. */
const MAX_EXTENDED = 16;
/** Allocations over two routes, and over three, that are refined. */
const MAX_REFINED = 3;

/** Finds the best trade in a graph of pools, in memory. */
export function searchPlans(graph: PoolGraph, request: PlanRequest): PlanSearchResult {
  const { side, amount, connectors, tokenIn, tokenOut } = request;
  const paths = tokenPaths(connectors, tokenIn, tokenOut);
  const amounts = [amount, amount / 4n, amount / 16n].filter((each) => each > 0n);
  const found = findCandidateRoutes(graph, { paths, side, amounts });
  // Without a route for a part of the amount, those for the smallest amount are its limit.
  const routes = found.length > 0 ? found : findCandidateRoutes(graph, { paths, side, amounts: [1n] });
  const plan = (splits: readonly RouteQuote[]): readonly TradePlan[] => toPlan(splits, request);
  const singles = routes.flatMap((route) => {
    const filled = liquidityCheck(route, side)(amount) ? quoteRoute(route, side, amount) : undefined;
    return filled === undefined ? [] : plan([filled]);
  });
  // A route without output loses against one whose output is worth less than its gas.
  const paying = singles.filter(({ splits: [{ amountOut }] }) => amountOut > 0n);
  const single = bestOf(paying.length > 0 ? paying : singles);
  const allocations = request.gasConverter === undefined ? [] : bestAllocations(routes, request);
  const plans = allocations.flatMap((allocation) => plan(refineAllocation(allocation, request) ?? []));
  const best = bestOf([...(single === undefined ? [] : [single]), ...plans]);
  const unresolved = [best, single].flatMap((each) => each?.splits.flatMap((split) => split.unresolved) ?? []);
  return { best, single, unresolved, routes };
}

function toPlan(splits: readonly RouteQuote[], { side, nativeEnds, gasConverter }: PlanRequest): readonly TradePlan[] {
  const [first, ...others] = splits;
  if (first === undefined) return [];
  const gas = estimateGas(splits, { side, nativeEnds });
  const value = splits.reduce((sum, split) => sum + valueOf(split, side), 0n);
  return [{ splits: [first, ...others], gas, net: value - (gasConverter?.(gas) ?? 0n) }];
}

/** The plan with the highest net value; the first of equal ones. */
const bestOf = (plans: readonly TradePlan[]): TradePlan | undefined =>
  plans.reduce<TradePlan | undefined>(
    (best, plan) => (best === undefined || plan.net > best.net ? plan : best),
    undefined,
  );

/** The best allocations over two and over three routes without a common pool. */
function bestAllocations(routes: readonly PoolRoute[], request: PlanRequest): readonly Allocation[] {
  const candidates = bestCandidates(
    routes.map((route) => marginalOutputs(route, request)).filter(({ initialGain }) => initialGain !== 0n),
  );
  const pairs = candidates.flatMap((one, index) =>
    candidates.slice(index + 1).flatMap((other) => (shareNoPool(one, other) ? allocate([one, other]) : [])),
  );
  // A good triple contains a good pair.
  const triples = new Map<string, readonly MarginalOutputs[]>();
  for (const { candidates: pair } of bestValued(pairs, request, MAX_EXTENDED)) {
    for (const third of candidates) {
      if (!pair.every((candidate) => shareNoPool(candidate, third))) continue;
      const three = [...pair, third];
      triples.set(setName(three.map((candidate) => candidates.indexOf(candidate))), three);
    }
  }
  const extended = [...triples.values()].flatMap(allocate);
  return [...bestValued(pairs, request, MAX_REFINED), ...bestValued(extended, request, MAX_REFINED)];
}

const setName = (indexes: readonly number[]): string => indexes.toSorted((one, other) => one - other).join();

function bestValued(
  found: readonly Allocation[],
  { side, nativeEnds, gasConverter }: PlanRequest,
  count: number,
): readonly Allocation[] {
  const ranked = found.map((allocation) => {
    const gas = estimateGas(
      allocation.candidates.map(({ route }) => ({ route, crossings: NO_CROSSINGS })),
      { side, nativeEnds },
    );
    return { allocation, net: allocation.value - (gasConverter?.(gas) ?? 0n) };
  });
  return ranked
    .sort((one, other) => descending(one.net, other.net))
    .slice(0, count)
    .map(({ allocation }) => allocation);
}

const descending = (one: bigint, other: bigint): number => (one === other ? 0 : one > other ? -1 : 1);

function shareNoPool(one: MarginalOutputs, other: MarginalOutputs): boolean {
  return one.route.every(({ pool }) => other.route.every((hop) => hop.pool.address !== pool.address));
}

/** The candidates with the highest gain for the whole amount, and those with the highest gain for a part of it. */
function bestCandidates(candidates: readonly MarginalOutputs[]): readonly MarginalOutputs[] {
  if (candidates.length <= MAX_COMBINED) return candidates;
  const whole = (candidate: MarginalOutputs): bigint => candidate.gains.reduce((sum, gain) => sum + gain, 0n);
  const byParts = candidates.toSorted((one, other) => descending(one.initialGain, other.initialGain));
  const byWhole = candidates.toSorted((one, other) =>
    one.gains.length === other.gains.length
      ? descending(whole(one), whole(other))
      : other.gains.length - one.gains.length,
  );
  const chosen = new Set<MarginalOutputs>();
  for (let rank = 0; chosen.size < MAX_COMBINED; rank += 1) {
    for (const ranked of [byParts, byWhole]) {
      const candidate = ranked[rank];
      if (candidate !== undefined && chosen.size < MAX_COMBINED) chosen.add(candidate);
    }
  }
  return [...chosen];
}
