import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { rejectOnAbort } from '../async/race-abort';
import { describeFailure } from '../errors/describe-failure';
import { invariant, InvariantError } from '../errors/invariant-error';
import {
  digestOf,
  isNext,
  keyOf,
  keysOf,
  type ComputedSnapshot,
  load,
  loadPrevious,
  type Place,
  type Reader,
  textOf,
} from './snapshot-cache';
import {
  type ReadSnapshots,
  type ServedSnapshot,
  type SnapshotDeps,
  type SnapshotRequest,
  type SnapshotSection,
} from './snapshot-section';
import { nextWithin, timesOf } from './snapshot-times';
import { claimSnapshots, releaseSnapshot, type SnapshotClaim, storeSnapshot } from './snapshot-claims';
import { NEVER_COMPUTED, readStates, type SnapshotState, type StoredVersion } from './snapshot-store';
import { observeTotal } from './wallet-values';

/** Characters of the bodies that a process keeps decoded, which takes several times the memory. */
const MAX_KEPT = 16_000_000;
/** Longer bodies are not stored: each request computes them. */
const MAX_BODY = 2_000_000;
const POLL_MS = 50;
const NO_CLAIMS: ReadonlyMap<string, SnapshotClaim> = new Map();
/** A process that has not computed a snapshot by then is slow, or has crashed: each request computes its own. */
const MAX_WAIT_FOR_OTHERS_MS = 5000;

type States = ReadonlyMap<string, SnapshotState>;

/**
 * Creates the reader of a section in this process. A request reads the version of the stored snapshot, whose value is in
 * memory, and computes the next one when it is old or the data behind it have changed. One process computes it for all of them.
 */
export function createSnapshotReader<Value extends object>(
  deps: SnapshotDeps,
  section: SnapshotSection<Value>,
): ReadSnapshots<Value> {
  const reader: Reader<Value> = {
    deps,
    times: timesOf(deps),
    section,
    kept: new LRUCache({ maxSize: MAX_KEPT, sizeCalculation: ({ size }) => size }),
    running: new Map(),
  };
  return async ({ customerId, wallets, signal }) => {
    const states = await readStates(deps, keysOf(reader, { customerId, wallets: [...new Set(wallets)] }));
    const stateOf = (wallet: string): SnapshotState => states.get(wallet) ?? NEVER_COMPUTED;
    const due = wallets.filter((wallet) => isDue(reader, stateOf(wallet)));
    const joined = new Set(due.filter((wallet) => reader.running.has(textOf({ customerId, wallet }))));
    start(reader, { customerId, wallets: due }, states);
    const served = wallets.map((wallet) =>
      serve(reader, { customerId, wallet, isJoined: joined.has(wallet) }, stateOf(wallet)),
    );
    const settled = await rejectOnAbort(Promise.allSettled(served), signal);
    return settled.map((each) => (each.status === 'fulfilled' ? each.value : errorOf(each.reason)));
  };
}

const errorOf = (reason: unknown): Error =>
  reason instanceof Error ? reason : new InvariantError('a section failed without an error');

const isDue = <Value extends object>({ times }: Reader<Value>, { stored }: SnapshotState): boolean =>
  stored === undefined || !stored.isCurrent || stored.ageMs >= times.freshMs;

const isServedAtOnce = <Value extends object>({ times }: Reader<Value>, { isCurrent, ageMs }: StoredVersion): boolean =>
  isCurrent && ageMs < times.servedMs;

async function serve<Value extends object>(
  reader: Reader<Value>,
  { isJoined, ...place }: Place & { readonly isJoined: boolean },
  { stored }: SnapshotState,
): Promise<ServedSnapshot<Value>> {
  if (stored !== undefined && isServedAtOnce(reader, stored)) {
    const known = await load(reader, place, stored);
    if (known !== undefined) return { ...known, isStale: false };
  }
  const run = isJoined && stored?.isCurrent !== true ? currentRun(reader, place) : runOf(reader, place);
  if (stored === undefined) return { ...(await run), isStale: false };
  const next = await nextWithin(run, stored.ageMs, reader.times);
  if (next !== undefined) return { ...next, isStale: false };
  const known = await load(reader, place, stored);
  return known === undefined ? { ...(await runOf(reader, place)), isStale: false } : { ...known, isStale: true };
}

/** The computation in progress may have begun before the change that this request has seen: another one follows it then. */
async function currentRun<Value extends object>(reader: Reader<Value>, place: Place): Promise<ComputedSnapshot<Value>> {
  const { customerId, wallet } = place;
  await runOf(reader, place).catch(() => undefined); // logged
  const states = await readStates(reader.deps, keysOf(reader, { customerId, wallets: [wallet] }));
  const stored = states.get(wallet)?.stored;
  const known = stored?.isCurrent === true ? await load(reader, place, stored) : undefined;
  if (known !== undefined) return known;
  start(reader, { customerId, wallets: [wallet] }, states);
  return runOf(reader, place);
}

/** The computation in progress. It is started for a snapshot that was removed after its version was read. */
function runOf<Value extends object>(reader: Reader<Value>, place: Place): Promise<ComputedSnapshot<Value>> {
  const { customerId, wallet } = place;
  start(reader, { customerId, wallets: [wallet] }, new Map());
  const run = reader.running.get(textOf(place));
  invariant(run, 'a section is computed');
  return run;
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
  const claimed = claim(reader, { customerId, wallets }, states);
  const own = claimed.then(({ elsewhere, claims }) =>
    computeOwn(reader, { customerId, wallets: wallets.filter((each) => !elsewhere.has(each)) }, { claims, states }),
  );
  own.catch(() => undefined); // each of the wallets reports it
  for (const wallet of wallets) {
    const text = textOf({ customerId, wallet });
    const one = claimed
      .then(async ({ elsewhere }) =>
        elsewhere.has(wallet)
          ? awaitOther(reader, { customerId, wallet }, states.get(wallet)?.stored)
          : await itemOf(await own, wallet),
      )
      .finally(() => {
        running.delete(text);
      });
    running.set(text, one);
    one.catch((error: unknown) => {
      deps.log.error({ section: section.name, cause: describeFailure(error) }, 'a wallet could not be computed');
    });
  }
}

function itemOf<Item>(items: ReadonlyMap<string, Item>, wallet: string): Item {
  const item = items.get(wallet);
  invariant(item, 'a section was not computed');
  return item;
}

interface Claims {
  readonly claims: ReadonlyMap<string, SnapshotClaim>;
  /** Wallets that another process computes, or has computed meanwhile. */
  readonly elsewhere: ReadonlySet<string>;
}

async function claim<Value extends object>(
  reader: Reader<Value>,
  { customerId, wallets }: SnapshotRequest,
  states: States,
): Promise<Claims> {
  const claimOf = (wallet: string): string => (states.get(wallet) ?? NEVER_COMPUTED).claim;
  const claims = await claimSnapshots(reader.deps, keysOf(reader, { customerId, wallets }), claimOf);
  const unclaimed = wallets.filter((wallet) => !claims.has(wallet));
  if (unclaimed.length === 0) return { claims, elsewhere: new Set() };
  const now = await readStates(reader.deps, keysOf(reader, { customerId, wallets: unclaimed }));
  const isElsewhere = (wallet: string): boolean => {
    const { isClaimed, claim: last } = now.get(wallet) ?? NEVER_COMPUTED;
    return isClaimed || last !== claimOf(wallet);
  };
  return { claims, elsewhere: new Set(unclaimed.filter(isElsewhere)) };
}

/** Computes wallets, each with a result of its own, and stores those that are claimed. A failure gives the claim up. */
async function computeOwn<Value extends object>(
  reader: Reader<Value>,
  { customerId, wallets }: SnapshotRequest,
  { claims, states }: { readonly claims: ReadonlyMap<string, SnapshotClaim>; readonly states: States },
): Promise<ReadonlyMap<string, Promise<ComputedSnapshot<Value>>>> {
  const previous = new Map<string, Value>();
  const failures = new Map<string, Error>();
  for (const wallet of wallets) {
    const stored = states.get(wallet)?.stored;
    try {
      const known = stored === undefined ? undefined : await loadPrevious(reader, { customerId, wallet }, stored);
      if (known !== undefined) previous.set(wallet, known);
    } catch (error) {
      failures.set(wallet, errorOf(error));
    }
  }
  const readable = wallets.filter((wallet) => !failures.has(wallet));
  const values =
    readable.length === 0
      ? new Map<string, Promise<Value>>()
      : reader.section.compute({ customerId, wallets: readable }, previous);
  const finished = wallets.map((wallet) => {
    const failure = failures.get(wallet);
    const value = failure === undefined ? itemOf(values, wallet) : Promise.reject<Value>(failure);
    const known = finish(reader, { customerId, wallet, value }, claims.get(wallet));
    known.catch(() => undefined); // its wallet reports it
    return [wallet, known] as const;
  });
  return new Map(finished);
}

async function finish<Value extends object>(
  reader: Reader<Value>,
  { value, ...place }: Place & { readonly value: Promise<Value> },
  claim: SnapshotClaim | undefined,
): Promise<ComputedSnapshot<Value>> {
  try {
    return await keep(reader, { ...place, value: await value }, claim);
  } catch (error) {
    await release(reader, place, claim);
    throw error;
  }
}

/** The claim expires when it cannot be given up. */
async function release<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  claim: SnapshotClaim | undefined,
): Promise<void> {
  if (claim !== undefined) await releaseSnapshot(reader.deps, keyOf(reader, place), claim.claim).catch(() => undefined);
}

/** Stores a value. One that cannot be stored is served nevertheless. */
async function keep<Value extends object>(
  reader: Reader<Value>,
  { value, ...place }: Place & { readonly value: Value },
  claim: SnapshotClaim | undefined,
): Promise<ComputedSnapshot<Value>> {
  const unstored = { value, computedAt: new Date(), version: undefined };
  if (claim === undefined) return unstored;
  const { deps, section, kept } = reader;
  const body = section.encode(value);
  if (body.length > MAX_BODY) {
    await release(reader, place, claim);
    return unstored;
  }
  const failed = async (error: unknown): Promise<undefined> => {
    deps.log.error({ section: section.name, cause: describeFailure(error) }, 'a wallet could not be stored');
    await release(reader, place, claim);
  };
  const worth = section.worthOf(value);
  const digest = digestOf(body);
  const former = kept.get(textOf(place));
  const isSame = former?.version === claim.version && former.digest === digest;
  const result = { ...claim, body: isSame ? null : body, worth };
  const stored = await storeSnapshot(deps, keyOf(reader, place), result).catch(failed);
  if (stored === undefined) return unstored;
  if (worth !== undefined) {
    await observeTotal(deps, place).catch((error: unknown) => {
      deps.log.error({ cause: describeFailure(error) }, 'the value of a wallet could not be added up');
    });
  }
  const known = { ...stored, value, size: body.length, digest };
  kept.set(textOf(place), known);
  return known;
}

/**
 * Waits for the result of another process. Computes one of its own when none comes, and when the data have changed since the other
 * process began.
 */
async function awaitOther<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  former: StoredVersion | undefined,
): Promise<ComputedSnapshot<Value>> {
  const { customerId, wallet } = place;
  const request = { customerId, wallets: [wallet] };
  const until = Date.now() + MAX_WAIT_FOR_OTHERS_MS;
  while (Date.now() < until) {
    const states = await readStates(reader.deps, keysOf(reader, request));
    const { stored, isClaimed, claim: last } = states.get(wallet) ?? NEVER_COMPUTED;
    const known = stored !== undefined && isNext(stored, former) ? await load(reader, place, stored) : undefined;
    if (known !== undefined) return known;
    const claims = isClaimed ? NO_CLAIMS : await claimSnapshots(reader.deps, keysOf(reader, request), () => last);
    if (claims.size > 0) return itemOf(await computeOwn(reader, request, { claims, states }), wallet);
    await wait(POLL_MS);
  }
  return itemOf(await computeOwn(reader, request, { claims: NO_CLAIMS, states: new Map() }), wallet);
}
