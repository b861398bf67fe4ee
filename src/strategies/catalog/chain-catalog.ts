import type { Logger } from 'pino';
import { anySignal } from '../../async/any-signal';
import { backoffMs } from '../../async/backoff';
import { sleep } from '../../async/sleep';
import type { Chain } from '../../chains/chain';
import { describeFailure } from '../../errors/describe-failure';
import type { StrategyRow } from '../strategy-row';
import { resolveRows, type ResolveRowsDeps } from './resolve-rows';
import { isCertain, isInDoubt, nextStates, type RowState } from './row-states';

export interface ChainCatalogDeps extends ResolveRowsDeps {
  readonly log: Pick<Logger, 'warn'>;
}

/** The catalog of a chain, for health and errors. */
export interface CatalogState {
  readonly chain: Chain;
  /** `unavailable`: the chain did not respond to the last request, or refuses strategies that it had. Strategies that were read before stay. */
  readonly status: 'ok' | 'resolving' | 'unavailable';
  readonly reason: string | undefined;
  /** Number of strategies whose contracts were read. */
  readonly resolved: number;
  /** Rows that contradict the chain, with the reason of each. */
  readonly refused: ReadonlyMap<string, string>;
  /** Those of them that were strategies before, or that one reading more may show to be strategies. */
  readonly doubtful: ReadonlySet<string>;
  /** Ids of rows that could not be read yet. */
  readonly waiting: ReadonlySet<string>;
}

export interface CatalogTimes {
  /** First delay after a chain did not respond; doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** Time after which a chain is read again to confirm that it refuses a row. */
  readonly confirmMs: number;
  /** Time after which refused rows are read again: their contract may have been deployed. */
  readonly refusedMs: number;
  /** Time after which all rows are read again: protocols replace contracts. */
  readonly renewMs: number;
  /** Limit of one pass over a chain. */
  readonly timeoutMs: number;
}

const MINUTE_MS = 60_000;
export const DEFAULT_TIMES: CatalogTimes = {
  retryMs: 1000,
  maxRetryMs: MINUTE_MS,
  confirmMs: 20_000,
  refusedMs: 10 * MINUTE_MS,
  renewMs: 360 * MINUTE_MS,
  timeoutMs: 30_000,
};

/** The catalog of one chain, in this process. */
export interface ChainCatalog {
  readonly chain: Chain;
  readonly rows: readonly StrategyRow[];
  states: readonly RowState[];
  /** Number of the latest block that was read. */
  newest: bigint | undefined;
  status: CatalogState['status'];
  reason: string | undefined;
  failures: number;
  readonly first: PromiseWithResolvers<void>;
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

/** A catalog before the first read. */
export function newChainCatalog(chain: Chain, rows: readonly StrategyRow[]): ChainCatalog {
  const states = rows.map((): RowState => ({ kind: 'unread' }));
  const nothingYet = { status: 'resolving', reason: undefined, failures: 0, newest: undefined } as const;
  return { chain, rows, states, ...nothingYet, first: withResolvers() };
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A view of a catalog for health and errors. */
export function catalogState({ chain, rows, states, status, reason }: ChainCatalog): CatalogState {
  const refused = rows.flatMap(({ id }, index) => {
    const state = states[index];
    return state?.kind === 'refused' ? [{ id, state }] : [];
  });
  return {
    chain,
    status,
    reason,
    resolved: states.filter(({ kind }) => kind === 'resolved').length,
    refused: new Map(refused.map(({ id, state }) => [id, state.reason])),
    doubtful: new Set(refused.flatMap(({ id, state }) => (isCertain(state) ? [] : [id]))),
    waiting: new Set(rows.flatMap(({ id }, index) => (states[index]?.kind === 'unread' ? [id] : []))),
  };
}

export interface Keeper {
  readonly deps: ChainCatalogDeps;
  readonly times: CatalogTimes;
  readonly onChange: () => void;
}

/** Reads the contracts of a chain until the signal aborts. Never rejects. */
export async function keepResolved(keeper: Keeper, catalog: ChainCatalog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pass(keeper, catalog, signal);
    keeper.onChange();
    catalog.first.resolve();
    await sleep(delayMs(keeper.times, catalog), signal);
  }
}

/** Never rejects. */
async function pass({ deps, times }: Keeper, catalog: ChainCatalog, signal: AbortSignal): Promise<void> {
  const { chain, rows } = catalog;
  try {
    const limit = anySignal(signal, AbortSignal.timeout(times.timeoutMs));
    const read = await resolveRows(deps, { chain, rows, signal: limit });
    const states = nextStates(catalog.states, read, catalog.newest);
    logRefused(deps, catalog, states);
    catalog.states = states;
    catalog.newest = latest(catalog.newest, read.block?.number);
    const unread = read.rows.filter(({ kind }) => kind === 'unread').length;
    catalog.failures = unread === 0 ? 0 : catalog.failures + 1;
    catalog.reason = reasonOfStates(states, unread);
    catalog.status = catalog.reason === undefined ? 'ok' : 'unavailable';
  } catch (error) {
    if (signal.aborted) return;
    if (catalog.failures === 0) {
      const cause = describeFailure(error);
      deps.log.warn({ chain: chain.slug, cause }, 'the strategies of a chain could not be read, and are read again');
    }
    catalog.failures += 1;
    catalog.status = 'unavailable';
    catalog.reason = 'the chain does not respond';
  }
}

function reasonOfStates(states: readonly RowState[], unread: number): string | undefined {
  if (unread > 0) return `the chain returned no result for ${String(unread)} of them`;
  const lost = states.filter((state) => state.kind === 'refused' && state.wasResolved).length;
  return lost === 0 ? undefined : `the chain refuses ${String(lost)} of them that it had before`;
}

const latest = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

/** Logs each row once for each reason when its chain refuses it, and once more when a strategy is left out for it. */
function logRefused({ log }: ChainCatalogDeps, catalog: ChainCatalog, states: readonly RowState[]): void {
  catalog.rows.forEach(({ id: strategy }, index) => {
    const [state, before] = [states[index], catalog.states[index]];
    const reason = reasonOf(state);
    if (state === undefined || reason === undefined) return;
    if (before?.kind === state.kind && reasonOf(before) === reason) return;
    const message =
      state.kind === 'refused'
        ? 'a strategy contradicts its chain and is left out'
        : 'a strategy contradicts its chain, and stays until that is confirmed';
    log.warn({ strategy, chain: catalog.chain.slug, reason }, message);
  });
}

const reasonOf = (state: RowState | undefined): string | undefined =>
  state === undefined || state.kind === 'unread' ? undefined : state.reason;

function delayMs(times: CatalogTimes, { failures, states }: ChainCatalog): number {
  if (failures > 0) return backoffMs({ baseMs: times.retryMs, maxMs: times.maxRetryMs, failures: failures - 1 });
  if (states.some(isInDoubt)) return times.confirmMs;
  return states.some(({ kind }) => kind === 'refused') ? times.refusedMs : times.renewMs;
}
