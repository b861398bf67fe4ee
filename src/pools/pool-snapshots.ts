import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Address } from 'viem';
import { z } from 'zod';
import type { Rpc } from '../rpc/rpc';
import { createTurns, type Turns } from '../async/turns';
import { type SharedTask, startSharedTask } from '../async/shared-task';
import { constantProductHops, type HopState, type SpotHop } from './hop-state';
import type { Pool } from './pool';
import { createConcentratedPoolLoader } from './concentrated-pool-loader';
import type { PoolLoader, PrefetchHint } from './pool-loader';
import { reservesRead } from './pool-state';
import { createSingleFlight } from '../async/single-flight';

/** State of pools as of one block. Each pool is read once and shared by all callers. */
export interface PoolSnapshot {
  readonly blockNumber: bigint;
  /** Expected gas price of a transaction sent at that block, in wei. */
  readonly feePerGas: bigint;
  /**
   * Both directions of each pool that has liquidity, at its current price: one round of reads, without the ticks.
   *
   * @throws PROVIDER_UNAVAILABLE
   */
  spotHops(pools: readonly Pool[], signal: AbortSignal): Promise<readonly SpotHop[]>;
  /** The same hops with their ticks, for quotes in memory. @throws PROVIDER_UNAVAILABLE */
  hops(pools: readonly Pool[], signal: AbortSignal): Promise<readonly HopState[]>;
  /** Loads more ticks of pools whose quotes left the loaded range. @throws PROVIDER_UNAVAILABLE */
  widen(pools: readonly Pool[], signal: AbortSignal): Promise<void>;
}

/** Caches snapshots of the latest blocks of all chains. */
export interface PoolSnapshots {
  /** The snapshot of the latest block at the time of the call. @throws PROVIDER_UNAVAILABLE */
  latest(chainId: number, signal: AbortSignal): Promise<PoolSnapshot>;
}

type PoolRpc = Pick<Rpc, 'request' | 'multicall'>;

const MAX_SNAPSHOTS = 16;
const MAX_POOLS_PER_SNAPSHOT = 1000;
const MAX_HINTS = 5000;
const HINT_TTL_MS = 600_000;

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/)
  .transform((text) => BigInt(text));
const headSchema = z.object({ number: quantity, hash: z.string().startsWith('0x') });

type Hints = LRUCache<string, PrefetchHint>;

export function createPoolSnapshots({ rpc }: { readonly rpc: PoolRpc }): PoolSnapshots {
  const heads = createSingleFlight<Head>();
  const snapshots = new LRUCache<string, PoolSnapshot>({ max: MAX_SNAPSHOTS });
  const turns = createTurns();
  const hints: Hints = new LRUCache({ max: MAX_HINTS, ttl: HINT_TTL_MS });
  return {
    async latest(chainId, signal) {
      const read = (abandoned: AbortSignal) => readHead(rpc, chainId, abandoned);
      const head = await rpc.request(chainId, () => heads.join(String(chainId), read, signal));
      const key = `${String(chainId)}:${head.hash}`;
      const snapshot = snapshots.get(key) ?? createSnapshot({ rpc, hints, turns, chainId }, head);
      snapshots.set(key, snapshot);
      return snapshot;
    },
  };
}

interface Head {
  readonly number: bigint;
  readonly hash: string;
  readonly feePerGas: bigint;
}

/** Sends one HTTP request. */
async function readHead(rpc: PoolRpc, chainId: number, signal: AbortSignal): Promise<Head> {
  return rpc.request(chainId, async (client) => {
    const [block, gasPrice]: readonly unknown[] = await Promise.all([
      client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }, { signal }),
      client.request({ method: 'eth_gasPrice' }, { signal }),
    ]);
    return { ...headSchema.parse(block), feePerGas: quantity.parse(gasPrice) };
  });
}

interface SnapshotDeps {
  readonly rpc: PoolRpc;
  readonly hints: Hints;
  /** Callers of a shared read search their routes for milliseconds each: one in a turn of the event loop. */
  readonly turns: Turns;
  readonly chainId: number;
}

/** A pool of a snapshot, and the batch that loads it. */
interface PoolEntry {
  readonly pool: Pool;
  readonly loader: PoolLoader;
  readonly batch: LoadBatch;
  isComplete: boolean;
}

interface AddedPool {
  readonly pool: Pool;
  readonly loader: PoolLoader;
}

/** Pools that were requested in one turn of the event loop. They are loaded together. */
interface LoadBatch {
  readonly added: AddedPool[];
  /** The first round of reads: enough for prices. */
  readonly firstRound: SharedTask<void>;
  /** The remaining rounds. They start with the first caller that needs them. */
  readonly remainingRounds: () => SharedTask<void>;
  /** True once all callers of the batch have stopped waiting for reads that have not ended. */
  readonly isAbandoned: boolean;
}

/** The pools of a snapshot. */
interface PoolEntries {
  /** The entry of each pool. Pools without one are added to the batch of this turn of the event loop. */
  readonly entriesOf: (pools: readonly Pool[]) => readonly PoolEntry[];
  /** Replaces the loaders of pools. */
  readonly load: (added: readonly AddedPool[]) => void;
}

function createPoolEntries({ rpc, hints, chainId }: SnapshotDeps, blockNumber: bigint): PoolEntries {
  const entries = new LRUCache<Address, PoolEntry>({ max: MAX_POOLS_PER_SNAPSHOT });
  const hintKey = ({ address }: Pool): string => `${String(chainId)}:${address}`;
  const onLoaded = ({ pool, loader }: AddedPool): void => {
    const entry = entries.get(pool.address);
    if (entry?.loader === loader) entry.isComplete = true;
    if (loader.hint !== undefined) hints.set(hintKey(pool), loader.hint);
  };
  /** Failed pools are removed, so that the next caller loads them again. */
  const onFailed = ({ pool, loader }: AddedPool): void => {
    if (entries.get(pool.address)?.loader === loader) entries.delete(pool.address);
  };
  let open: LoadBatch | undefined;
  const openBatch = (): LoadBatch => {
    const onStarted = (): void => void (open = open === batch ? undefined : open);
    const batch = startBatch({ rpc, chainId, blockNumber }, { onStarted, onLoaded, onFailed });
    open = batch;
    return batch;
  };
  const load = (added: readonly AddedPool[]): void => {
    if (added.length === 0) return;
    const batch = open === undefined || open.isAbandoned ? openBatch() : open;
    batch.added.push(...added);
    for (const { pool, loader } of added) entries.set(pool.address, { pool, loader, batch, isComplete: false });
  };
  return {
    load,
    entriesOf(pools) {
      const missing = pools.filter(({ address }) => entries.get(address)?.batch.isAbandoned ?? true);
      load(missing.map((pool) => ({ pool, loader: createPoolLoader(pool, hints.get(hintKey(pool))) })));
      return pools.flatMap(({ address }) => entries.get(address) ?? []);
    },
  };
}

function createSnapshot(deps: SnapshotDeps, { number: blockNumber, feePerGas }: Head): PoolSnapshot {
  const { rpc, chainId, turns } = deps;
  const { entriesOf, load } = createPoolEntries(deps, blockNumber);
  const takeTurn = async (signal: AbortSignal): Promise<void> => {
    await turns.next();
    signal.throwIfAborted();
  };
  const complete = async (requested: readonly PoolEntry[], signal: AbortSignal): Promise<void> => {
    const batches = new Set(requested.filter(({ isComplete }) => !isComplete).map(({ batch }) => batch));
    await rpc.request(chainId, () => Promise.all([...batches].map((batch) => batch.remainingRounds().join(signal))));
  };
  return {
    blockNumber,
    feePerGas,
    async spotHops(pools, signal) {
      const requested = entriesOf(pools);
      const batches = new Set(requested.map(({ batch }) => batch));
      await rpc.request(chainId, () => Promise.all([...batches].map(({ firstRound }) => firstRound.join(signal))));
      await takeTurn(signal);
      return requested.flatMap(({ loader }) => loader.spotHops());
    },
    async hops(pools, signal) {
      const requested = entriesOf(pools);
      await complete(requested, signal);
      await takeTurn(signal);
      return requested.flatMap(({ loader }) => loader.hops());
    },
    async widen(pools, signal) {
      await complete(entriesOf(pools), signal);
      const wider = entriesOf(pools).flatMap(({ pool, loader, isComplete }) => {
        const widened = isComplete ? loader.withWiderRange() : undefined;
        return widened === undefined ? [] : [{ pool, loader: widened }];
      });
      load(wider);
      await complete(entriesOf(pools), signal);
    },
  };
}

interface BatchCallbacks {
  /** Called before the first read: no pool may be added later. */
  readonly onStarted: () => void;
  readonly onLoaded: (added: AddedPool) => void;
  readonly onFailed: (added: AddedPool) => void;
}

/** Starts to load the pools that are added to the batch in this turn of the event loop. */
function startBatch(target: ReadTarget, { onStarted, onLoaded, onFailed }: BatchCallbacks): LoadBatch {
  const added: AddedPool[] = [];
  const loaders = (): readonly PoolLoader[] => added.map(({ loader }) => loader);
  const discardOnFailure = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      added.forEach(onFailed);
      throw error;
    }
  };
  const firstRound = startSharedTask(async (signal) => {
    await nextTurn();
    onStarted();
    await discardOnFailure(readRound(target, loaders(), signal).then(() => undefined));
  });
  const readRemainingRounds = async (signal: AbortSignal): Promise<void> => {
    await firstRound.join(signal);
    while (await readRound(target, loaders(), signal));
    added.forEach(onLoaded);
  };
  let remaining: SharedTask<void> | undefined;
  return {
    added,
    firstRound,
    remainingRounds: () => (remaining ??= startSharedTask((signal) => discardOnFailure(readRemainingRounds(signal)))),
    get isAbandoned() {
      return firstRound.isAbandoned || remaining?.isAbandoned === true;
    },
  };
}

interface ReadTarget {
  readonly rpc: PoolRpc;
  readonly chainId: number;
  readonly blockNumber: bigint;
}

/** Nodes limit the size of one HTTP request. */
const MAX_READS_PER_REQUEST = 1200;

/** Reads the next round of all pools: the rounds end when it resolves to false. Pools with a hint usually need one. */
async function readRound(
  { rpc, chainId, blockNumber }: ReadTarget,
  loaders: readonly PoolLoader[],
  signal: AbortSignal,
): Promise<boolean> {
  const pending = loaders.flatMap((loader) => loader.pendingReads());
  for (let start = 0; start < pending.length; start += MAX_READS_PER_REQUEST) {
    const batch = pending.slice(start, start + MAX_READS_PER_REQUEST);
    const reads = batch.map(({ read }) => read);
    const results: readonly unknown[] = await rpc.multicall(chainId, reads, { signal, blockNumber });
    batch.forEach(({ accept }, index) => accept(results[index]));
  }
  return pending.length > 0;
}

const createPoolLoader = (pool: Pool, hint: PrefetchHint | undefined): PoolLoader =>
  pool.fee === undefined
    ? createConstantProductLoader(pool)
    : createConcentratedPoolLoader({ pool, fee: pool.fee, hint });

function createConstantProductLoader(pool: Pool): PoolLoader {
  let hops: readonly HopState[] | undefined;
  const accept = (result: unknown): void => {
    const [reserve0, reserve1] = Array.isArray(result) ? (result as readonly unknown[]) : [];
    const isValid = typeof reserve0 === 'bigint' && typeof reserve1 === 'bigint';
    hops = isValid ? constantProductHops(pool, { reserve0, reserve1 }) : [];
  };
  return {
    pendingReads: () => (hops === undefined ? [{ read: reservesRead(pool), accept }] : []),
    spotHops: () => hops ?? [],
    hops: () => hops ?? [],
    withWiderRange: () => undefined,
    hint: undefined,
  };
}
