import { resolveWithin } from '../../async/resolve-within';
import type { Chain } from '../../chains/chain';
import type { ChainTable } from '../../chains/chain-table';
import { serviceError } from '../../errors/service-error';
import type { Rpc } from '../../rpc/rpc';
import type { Strategy } from '../strategy';
import type { StrategyRow } from '../strategy-row';
import {
  type CatalogState,
  type CatalogTimes,
  type ChainCatalog,
  type ChainCatalogDeps,
  DEFAULT_TIMES,
  keepResolved,
  newChainCatalog,
  catalogState,
} from './chain-catalog';
import { slugOf, slugsOf } from './merge-rows';
import { isCertain } from './row-states';

/** The strategies of a deployment. */
export interface Strategies {
  /**
   * The strategy with an id, slug or alias, in any case.
   *
   * @throws STRATEGY_NOT_FOUND; LENDING_SERVICE_UNAVAILABLE while its chain has not responded since the start of the process,
   *   or contradicts its former result
   */
  get(name: string): Strategy;
  /** Slugs of all names of the strategy with an id, slug or alias; none without one, whether its chain responds or not. */
  slugsOf(name: string): readonly string[];
  /** Those whose contracts were read, in the order of the catalog. The same array until one of them changes. */
  all(): readonly Strategy[];
  /** Served chains with strategies, in the order of the chain table. */
  readonly chains: readonly Chain[];
  /** State of the catalog on each of these chains. Empty before `start`. */
  states(): readonly CatalogState[];
  /** Reads the contracts of all chains in the background, again while a chain does not respond. Further calls do nothing. */
  start(): void;
  /** Resolves as soon as every chain has responded or failed once, and after two seconds at the latest. */
  ready(): Promise<void>;
  /** Resolves when the contracts of a chain were read, or could not be, for the first time after `start`. */
  firstPass(chainId: number): Promise<void>;
  stop(): Promise<void>;
}

export interface StrategiesDeps extends ChainCatalogDeps {
  readonly rpc: Pick<Rpc, 'request' | 'serves'>;
  readonly chains: Pick<ChainTable, 'all'>;
  /** The catalog, checked by `mergeRows`. */
  readonly rows: readonly StrategyRow[];
  /** Times in milliseconds, for tests. */
  readonly times?: Partial<CatalogTimes>;
}

/** Keeps the strategies of a deployment in memory. Rows of chains that are not served are left out. */
export function createStrategies(deps: StrategiesDeps): Strategies {
  const times = { ...DEFAULT_TIMES, ...deps.times };
  const catalogs = servedCatalogs(deps);
  const byChain = new Map(catalogs.map((catalog) => [catalog.chain.chainId, catalog]));
  const places = placesOf(deps.rows, byChain);
  const controller = new AbortController();
  let running: readonly Promise<void>[] | undefined;
  // Both take time in proportion to the catalog, and are made once for each change.
  let resolved: readonly Strategy[] | undefined;
  let states: readonly CatalogState[] | undefined;
  const onChange = (): void => {
    resolved = undefined;
    states = undefined;
  };
  return {
    chains: catalogs.map(({ chain }) => chain),
    get(name) {
      const place = places.get(slugOf(name));
      if (place === undefined) throw notFound(name);
      const { catalog, index } = place;
      const state = catalog.states[index];
      if (state?.kind === 'resolved') return state.strategy;
      if (state?.kind !== 'refused') throw lendingUnavailable(catalog);
      if (isCertain(state)) throw notFound(name);
      throw lendingUnavailable({ chain: catalog.chain, reason: `the chain refuses the strategy: ${state.reason}` });
    },
    slugsOf: (name) => places.get(slugOf(name))?.slugs ?? [],
    all() {
      resolved ??= resolvedIn(deps.rows, byChain);
      return resolved;
    },
    states() {
      if (running === undefined) return [];
      states ??= catalogs.map(catalogState);
      return states;
    },
    start() {
      running ??= catalogs.map((catalog) => keepResolved({ deps, times, onChange }, catalog, controller.signal));
    },
    async ready() {
      if (running === undefined || catalogs.every(({ status }) => status !== 'resolving')) return;
      await resolveWithin(Promise.all(catalogs.map(({ first }) => first.promise)), MAX_WAIT_MS);
    },
    firstPass: (chainId) => byChain.get(chainId)?.first.promise ?? Promise.resolve(),
    async stop() {
      controller.abort();
      for (const { first } of catalogs) first.resolve();
      await Promise.all(running ?? []);
    },
  };
}

/** Requests right after the start wait for the chains. */
const MAX_WAIT_MS = 2000;
/** More than an id can have. */
const MAX_SHOWN = 128;

const notFound = (name: string) => serviceError('STRATEGY_NOT_FOUND', { strategyId: name.slice(0, MAX_SHOWN) });

/** For a chain that has not responded since the start of the process. */
export const lendingUnavailable = ({ chain, reason }: Pick<CatalogState, 'chain' | 'reason'>) =>
  serviceError(
    'LENDING_SERVICE_UNAVAILABLE',
    {},
    { details: { network: chain.slug, reason: reason ?? 'the strategies are being read from the chain' } },
  );

function servedCatalogs({ chains, rpc, rows }: StrategiesDeps): readonly ChainCatalog[] {
  const byChain = new Map<number, StrategyRow[]>();
  for (const row of rows) {
    const own = byChain.get(row.chainId);
    if (own === undefined) byChain.set(row.chainId, [row]);
    else own.push(row);
  }
  return chains.all.flatMap((chain) => {
    const own = byChain.get(chain.chainId);
    return own === undefined || !rpc.serves(chain.chainId) ? [] : [newChainCatalog(chain, own)];
  });
}

interface Place {
  readonly catalog: ChainCatalog;
  readonly index: number;
  readonly slugs: readonly string[];
}

/** The place of each row by its slug and the slugs of its aliases. */
function placesOf(rows: readonly StrategyRow[], catalogs: ReadonlyMap<number, ChainCatalog>): Map<string, Place> {
  const next = new Map<number, number>();
  const places = new Map<string, Place>();
  for (const row of rows) {
    const catalog = catalogs.get(row.chainId);
    if (catalog === undefined) continue;
    const index = next.get(row.chainId) ?? 0;
    next.set(row.chainId, index + 1);
    const slugs = slugsOf(row);
    for (const slug of slugs) places.set(slug, { catalog, index, slugs });
  }
  return places;
}

/** In the order of the catalog, whichever chain responded first. */
function resolvedIn(rows: readonly StrategyRow[], catalogs: ReadonlyMap<number, ChainCatalog>): readonly Strategy[] {
  const next = new Map<number, number>();
  return rows.flatMap(({ chainId }) => {
    const index = next.get(chainId) ?? 0;
    next.set(chainId, index + 1);
    const state = catalogs.get(chainId)?.states[index];
    return state?.kind === 'resolved' ? [state.strategy] : [];
  });
}
