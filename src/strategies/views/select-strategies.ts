import type { Chain } from '../../chains/chain';
import { type ChainTable, unknownChainProblem } from '../../chains/chain-table';
import { parseEvmAddress } from '../../chains/addresses';
import { type ValidationIssue, validationError } from '../../errors/validation';
import { lendingUnavailable, type Strategies } from '../catalog/strategies';
import type { LatestMarkets, MarketsSnapshot } from '../market/latest-markets';
import type { Strategy } from '../strategy';
import { slugOf } from '../catalog/merge-rows';
import type { CustomerFees } from '../fees/customer-fees';
import { profitBpsOf } from '../strategy-fees';
import { isReliable, underlyingUsd, yieldsOf } from './market-figures';

/** `CATALOG`: the order of the catalog. The others begin with the largest; strategies without a reliable figure come last. */
export const STRATEGY_SORTS = ['CATALOG', 'NET_APY', 'TVL_USD'] as const;
export type StrategySort = (typeof STRATEGY_SORTS)[number];

/** Conditions that a strategy has to meet. Case does not matter. */
export interface StrategyFilter {
  /** Slug or id of a chain. */
  readonly network?: string | null | undefined;
  /** Brand or protocol: `Aave`, `aave-v3`. */
  readonly protocol?: string | null | undefined;
  readonly category?: string | null | undefined;
  /** Address or symbol of the underlying asset. */
  readonly asset?: string | null | undefined;
}

export interface SelectStrategiesDeps {
  readonly strategies: Pick<Strategies, 'all' | 'chains' | 'states'>;
  readonly markets: LatestMarkets;
  readonly chains: Pick<ChainTable, 'find' | 'served'>;
  /** The fees of the customer that requests them. */
  readonly fees: CustomerFees;
}

const MAX_TEXT = 128;

/**
 * The strategies that meet the conditions, sorted.
 *
 * @throws VALIDATION_ERROR for an unknown network or a malformed condition; LENDING_SERVICE_UNAVAILABLE when the strategies
 *   cannot be listed because their chains have not responded since the start of the process
 */
export function selectStrategies(
  deps: SelectStrategiesDeps,
  { filter, sort }: { readonly filter: StrategyFilter; readonly sort: StrategySort },
  snapshot: MarketsSnapshot,
): readonly Strategy[] {
  const chain = checkedChain(deps, filter);
  const all = sorted(deps, sort, snapshot);
  assertKnown(deps, chain);
  const tests = testsOf(filter, chain);
  return tests.length === 0 ? all : all.filter((strategy) => tests.every((test) => test(strategy)));
}

/** @throws VALIDATION_ERROR */
function checkedChain({ chains }: SelectStrategiesDeps, filter: StrategyFilter): Chain | undefined {
  const chain = isGiven(filter.network) ? chains.find(filter.network) : undefined;
  const isUnknown = isGiven(filter.network) && chain === undefined;
  const issues = isUnknown ? [{ path: 'network', message: unknownChainProblem(chains.served) }] : [];
  issues.push(...textIssues(filter));
  if (issues.length > 0) throw validationError(issues);
  return chain;
}

function textIssues(filter: StrategyFilter): readonly ValidationIssue[] {
  const issues = (['protocol', 'category', 'asset'] as const).flatMap((path): readonly ValidationIssue[] =>
    (filter[path] ?? '').length > MAX_TEXT
      ? [{ path, message: `must have at most ${String(MAX_TEXT)} characters` }]
      : [],
  );
  const asset = filter.asset ?? '';
  const isMalformed = /^0x/i.test(asset) && parseEvmAddress(asset) === undefined;
  return isMalformed
    ? [...issues, { path: 'asset', message: 'must be the address of a token, or its symbol' }]
    : issues;
}

const isGiven = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== '';

/** An empty list would mean that there are no strategies. */
function assertKnown({ strategies }: SelectStrategiesDeps, chain: Chain | undefined): void {
  const states = strategies.states().filter((state) => chain === undefined || state.chain.chainId === chain.chainId);
  const [first] = states;
  if (
    first !== undefined &&
    states.every(({ resolved }) => resolved === 0) &&
    states.some(({ waiting }) => waiting.size > 0)
  ) {
    throw lendingUnavailable(states.find(({ reason }) => reason !== undefined) ?? first);
  }
}

type Test = (strategy: Strategy) => boolean;

function testsOf({ protocol, category, asset }: StrategyFilter, wanted: Chain | undefined): readonly Test[] {
  const tests: Test[] = [];
  if (wanted !== undefined) tests.push(({ chain }) => chain.chainId === wanted.chainId);
  if (isGiven(protocol)) {
    const name = slugOf(protocol);
    tests.push(({ row }) => slugOf(row.brand) === name || row.protocol === name);
  }
  if (isGiven(category)) {
    const name = slugOf(category);
    tests.push(({ row }) => row.categories.some((each) => slugOf(each) === name));
  }
  if (isGiven(asset)) {
    const name = slugOf(asset);
    tests.push(({ underlying }) => slugOf(underlying.address) === name || slugOf(underlying.symbol) === name);
  }
  return tests;
}

interface SortedList {
  readonly version: number;
  readonly madeAt: number;
  readonly byOrder: Map<string, readonly Strategy[]>;
}

/** Orders of one list: by the amount locked, and by yields after some fees. */
const MAX_ORDERS = 8;

/** The orders of a list, until its market data changes or may have become stale. A changed catalog is another list. */
const MAX_SORTED_MS = 10_000;
const sortedLists = new WeakMap<readonly Strategy[], SortedList>();

function sorted(deps: SelectStrategiesDeps, sort: StrategySort, snapshot: MarketsSnapshot): readonly Strategy[] {
  const all = deps.strategies.all();
  if (sort === 'CATALOG') return all;
  const figure = (strategy: Strategy) => figureOf(deps, strategy, { sort, snapshot });
  const bps = sort === 'NET_APY' ? sharedBpsOf(deps.fees, all) : 0;
  // Yields after fees that differ between strategies are in an order of their own.
  if (bps === undefined) return inOrder(all, figure);
  const kept = sortedLists.get(all);
  const lists: SortedList =
    kept?.version === snapshot.version && performance.now() - kept.madeAt < MAX_SORTED_MS
      ? kept
      : { version: snapshot.version, madeAt: performance.now(), byOrder: new Map() };
  sortedLists.set(all, lists);
  const order = `${sort} ${String(bps)}`;
  const list = lists.byOrder.get(order) ?? inOrder(all, figure);
  if (lists.byOrder.size < MAX_ORDERS) lists.byOrder.set(order, list);
  return list;
}

/** Basis points of the profit that all strategies cost; `undefined` when they differ. */
function sharedBpsOf(fees: CustomerFees, all: readonly Strategy[]): number | undefined {
  const [first, ...others] = all;
  if (first === undefined) return 0;
  const bps = profitBpsOf(fees.of(first));
  return fees.isUniform || others.every((strategy) => profitBpsOf(fees.of(strategy)) === bps) ? bps : undefined;
}

/** Largest first; equal ones, and those without the figure at the end, in the order of the catalog. */
function inOrder(all: readonly Strategy[], figure: (strategy: Strategy) => number | undefined): readonly Strategy[] {
  const ranked = all.map((strategy) => ({ strategy, value: figure(strategy) ?? -Infinity }));
  return ranked
    .sort((one, other) => (one.value === other.value ? 0 : other.value - one.value))
    .map(({ strategy }) => strategy);
}

function figureOf(
  { fees }: SelectStrategiesDeps,
  strategy: Strategy,
  { sort, snapshot }: { readonly sort: StrategySort; readonly snapshot: MarketsSnapshot },
): number | undefined {
  const market = snapshot.byStrategy.get(slugOf(strategy.row.id));
  if (market === undefined) return undefined;
  if (sort === 'NET_APY') {
    const { netAPY } = yieldsOf(strategy, market, fees.of(strategy));
    return isReliable(market, new Date()) ? netAPY : undefined;
  }
  return underlyingUsd(strategy, market.observation.tvl, market.observation.usdE24);
}
