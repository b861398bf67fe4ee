import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { rejectOnAbort } from '../async/race-abort';
import { resolveWithin } from '../async/resolve-within';
import type { CustomerId } from '../auth/principal';
import { describeFailure } from '../errors/describe-failure';
import { invariant } from '../errors/invariant-error';
import {
  claimSnapshots,
  readBody,
  readStates,
  releaseSnapshot,
  type SnapshotClaim,
  type SnapshotKey,
  type SnapshotKeys,
  type SnapshotState,
  type SnapshotStoreDeps,
  storeSnapshot,
} from './snapshot-store';

/** When a stored snapshot is computed again. In milliseconds. */
export interface SnapshotTimes {
  /** Up to this age a snapshot is served as it is; 750 by default. */
  readonly freshMs?: number;
  /** Up to this age it is served while the next one is computed; 5,000 by default. Later, and after a change, a request waits. */
  readonly servedMs?: number;
  /** How long a request waits before it is served the old one; 800 by default. */
  readonly waitMs?: number;
}

export interface SnapshotDeps extends SnapshotStoreDeps {
  readonly log: Pick<Logger, 'error'>;
  readonly snapshotTimes?: SnapshotTimes;
}

interface SnapshotRequest {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
}

/** A section of overviews: how it is computed and stored. */
export interface SnapshotSection<Value extends object> {
  readonly name: string;
  /** Changes with the form of the text. */
  readonly format: number;
  encode(value: Value): string;
  decode(text: string): Promise<Value> | Value;
  /**
   * Computes the section of each wallet, within a time limit of its own. `previous`: the stored ones, for what is unavailable
   * now.
   */
  compute(request: SnapshotRequest, previous: ReadonlyMap<string, Value>): Promise<ReadonlyMap<string, Value>>;
}

export interface ServedSnapshot<Value> {
  readonly value: Value;
  readonly computedAt: Date;
  /** True for an old snapshot: a newer one is being computed, or its computation has failed. */
  readonly isOutdated: boolean;
}

/** Reads the sections of wallets, in the order of the wallets. */
export type ReadSnapshots<Value> = (
  request: SnapshotRequest & { readonly signal: AbortSignal },
) => Promise<readonly ServedSnapshot<Value>[]>;

interface Known<Value> extends Omit<ServedSnapshot<Value>, 'isOutdated'> {
  /** `undefined` for one that is not stored. */
  readonly version: string | undefined;
}

/** Characters of the decoded bodies that a process keeps. */
const MAX_KEPT = 64_000_000;
/** Longer bodies are not stored: each request computes them. */
const MAX_BODY = 2_000_000;
const POLL_MS = 50;
/** A process that computes a first snapshot takes no longer, or has crashed. */
const MAX_WAIT_FOR_OTHERS_MS = 5000;

/** The snapshots of a section in this process. */
interface Reader<Value extends object> {
  readonly deps: SnapshotDeps;
  readonly times: Required<SnapshotTimes>;
  readonly section: SnapshotSection<Value>;
  /** The latest values by customer and wallet. */
  readonly kept: LRUCache<string, Known<Value> & { readonly size: number }>;
  /** Computations in progress by customer and wallet. */
  readonly running: Map<string, Promise<Known<Value>>>;
}

interface Place {
  readonly customerId: CustomerId;
  readonly wallet: string;
}

type States = ReadonlyMap<string, SnapshotState>;

/**
 * Creates the reader of a section in this process. A request reads the version of the stored snapshot, whose value is in
 * memory, and computes the next one when it is old or the data behind it have changed. One process computes it for all of them.
 */
export function createSnapshotReader<Value extends object>(
  deps: SnapshotDeps,
  section: SnapshotSection<Value>,
): ReadSnapshots<Value> {
  const { freshMs = 750, servedMs = 5000, waitMs = 800 } = deps.snapshotTimes ?? {};
  const reader: Reader<Value> = {
    deps,
    times: { freshMs, servedMs: Math.max(servedMs, freshMs), waitMs },
    section,
    kept: new LRUCache({ maxSize: MAX_KEPT, sizeCalculation: ({ size }) => size }),
    running: new Map(),
  };
  return async ({ customerId, wallets, signal }) => {
    const states = await readStates(deps, keysOf(reader, { customerId, wallets: [...new Set(wallets)] }));
    const stateOf = (wallet: string): SnapshotState => states.get(wallet) ?? NEVER_COMPUTED;
    const due = wallets.filter((wallet) => isDue(reader, stateOf(wallet)));
    start(reader, { customerId, wallets: due }, states);
    const served = wallets.map((wallet) => serve(reader, { customerId, wallet }, stateOf(wallet)));
    return rejectOnAbort(Promise.all(served), signal);
  };
}

const NEVER_COMPUTED: SnapshotState = { stored: undefined, isClaimed: false };

const keysOf = <Value extends object>({ section }: Reader<Value>, request: SnapshotRequest): SnapshotKeys => ({
  ...request,
  section: section.name,
  format: section.format,
});

const keyOf = <Value extends object>({ section }: Reader<Value>, place: Place): SnapshotKey => ({
  ...place,
  section: section.name,
  format: section.format,
});

const textOf = ({ customerId, wallet }: Place): string => `${customerId}:${wallet}`;

const isDue = <Value extends object>({ times }: Reader<Value>, { stored }: SnapshotState): boolean =>
  stored === undefined || !stored.isCurrent || stored.ageMs >= times.freshMs;

async function serve<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  { stored }: SnapshotState,
): Promise<ServedSnapshot<Value>> {
  if (stored !== undefined && stored.isCurrent && stored.ageMs < reader.times.servedMs) {
    const known = await load(reader, place, stored.version);
    if (known !== undefined) return { ...known, isOutdated: false };
  }
  const run = runOf(reader, place);
  if (stored === undefined) return { ...(await run), isOutdated: false };
  const next = await resolveWithin(run, reader.times.waitMs).catch(() => undefined);
  if (next !== undefined) return { ...next, isOutdated: false };
  const known = await load(reader, place, stored.version);
  return known === undefined ? { ...(await run), isOutdated: false } : { ...known, isOutdated: true };
}

/** The computation in progress. It is started for a snapshot that was removed after its version was read. */
function runOf<Value extends object>(reader: Reader<Value>, place: Place): Promise<Known<Value>> {
  const { customerId, wallet } = place;
  start(reader, { customerId, wallets: [wallet] }, new Map());
  const run = reader.running.get(textOf(place));
  invariant(run, 'a section is computed');
  return run;
}

/** The stored snapshot; from memory when its version is there. */
async function load<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string | undefined,
): Promise<Known<Value> | undefined> {
  const known = reader.kept.get(textOf(place));
  if (known !== undefined && known.version === version) return known;
  const row = await readBody(reader.deps, keyOf(reader, place));
  if (row === undefined) return undefined;
  const { body, ...stored } = row;
  const loaded = { ...stored, value: await reader.section.decode(body), size: body.length };
  reader.kept.set(textOf(place), loaded);
  return loaded;
}

/** Starts to compute the sections of wallets that this process does not compute yet. Failures are logged. */
function start<Value extends object>(
  reader: Reader<Value>,
  { customerId, wallets: requested }: SnapshotRequest,
  states: States,
): void {
  const { running, deps, section } = reader;
  const wallets = [...new Set(requested)].filter((wallet) => !running.has(textOf({ customerId, wallet })));
  if (wallets.length === 0) return;
  const batch = computeTogether(reader, { customerId, wallets }, states);
  for (const wallet of wallets) {
    const text = textOf({ customerId, wallet });
    const one = batch
      .then((computed) => computedOf(computed, wallet))
      .finally(() => {
        running.delete(text);
      });
    running.set(text, one);
    one.catch((error: unknown) => {
      deps.log.error({ section: section.name, cause: describeFailure(error) }, 'a wallet could not be computed');
    });
  }
}

function computedOf<Item>(computed: ReadonlyMap<string, Item>, wallet: string): Item {
  const item = computed.get(wallet);
  invariant(item, 'a section was not computed');
  return item;
}

async function computeTogether<Value extends object>(
  reader: Reader<Value>,
  { customerId, wallets }: SnapshotRequest,
  states: States,
): Promise<ReadonlyMap<string, Known<Value>>> {
  const { deps } = reader;
  const claims = await claimSnapshots(deps, keysOf(reader, { customerId, wallets }));
  const unclaimed = wallets.filter((wallet) => !claims.has(wallet));
  const now =
    unclaimed.length === 0 ? states : await readStates(deps, keysOf(reader, { customerId, wallets: unclaimed }));
  const elsewhere = new Set(unclaimed.filter((wallet) => now.get(wallet)?.isClaimed === true));
  const others = [...elsewhere].map(async (wallet): Promise<readonly [string, Known<Value>]> => {
    const version = states.get(wallet)?.stored?.version;
    return [wallet, await awaitOther(reader, { customerId, wallet }, version)];
  });
  const own = wallets.filter((wallet) => !elsewhere.has(wallet));
  const computing = own.length === 0 ? [] : computeOwn(reader, { customerId, wallets: own }, { claims, states });
  const results = await Promise.allSettled([computing, ...others.map(async (one) => [await one])]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined)
    return new Map(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])));
  const released = [...claims].map(([wallet, { claim }]) =>
    releaseSnapshot(deps, keyOf(reader, { customerId, wallet }), claim),
  );
  await Promise.allSettled(released);
  throw failed.reason;
}

async function computeOwn<Value extends object>(
  reader: Reader<Value>,
  { customerId, wallets }: SnapshotRequest,
  { claims, states }: { readonly claims: ReadonlyMap<string, SnapshotClaim>; readonly states: States },
): Promise<readonly (readonly [string, Known<Value>])[]> {
  const previous = new Map<string, Value>();
  for (const wallet of wallets) {
    const version = states.get(wallet)?.stored?.version;
    const known = version === undefined ? undefined : await load(reader, { customerId, wallet }, version);
    if (known !== undefined) previous.set(wallet, known.value);
  }
  const values = await reader.section.compute({ customerId, wallets }, previous);
  return Promise.all(
    wallets.map(async (wallet) => {
      const value = computedOf(values, wallet);
      return [wallet, await keep(reader, { customerId, wallet, value }, claims.get(wallet))] as const;
    }),
  );
}

async function keep<Value extends object>(
  reader: Reader<Value>,
  { value, ...place }: Place & { readonly value: Value },
  claim: SnapshotClaim | undefined,
): Promise<Known<Value>> {
  const unstored = { value, computedAt: new Date(), version: undefined };
  if (claim === undefined) return unstored;
  const { deps, section, kept } = reader;
  const body = section.encode(value);
  if (body.length > MAX_BODY) {
    await releaseSnapshot(deps, keyOf(reader, place), claim.claim);
    return unstored;
  }
  const stored = await storeSnapshot(deps, keyOf(reader, place), { ...claim, body });
  if (stored === undefined) return unstored;
  const known = { ...stored, value, size: body.length };
  kept.set(textOf(place), known);
  return known;
}

/** Waits for the version of another process; computes one of its own when none comes. */
async function awaitOther<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string | undefined,
): Promise<Known<Value>> {
  const { customerId, wallet } = place;
  const request = { customerId, wallets: [wallet] };
  const until = Date.now() + MAX_WAIT_FOR_OTHERS_MS;
  while (Date.now() < until) {
    await wait(POLL_MS);
    const state = (await readStates(reader.deps, keysOf(reader, request))).get(wallet);
    const next = state?.stored?.version;
    const known = next === undefined || next === version ? undefined : await load(reader, place, next);
    if (known !== undefined) return known;
    if (state?.isClaimed !== true) break;
  }
  return computedOf(new Map(await computeOwn(reader, request, { claims: new Map(), states: new Map() })), wallet);
}
