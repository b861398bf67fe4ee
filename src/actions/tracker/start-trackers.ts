import { backoffMs } from '../../async/backoff';
import { sleep } from '../../async/sleep';
import type { Chain } from '../../chains/chain';
import { describeFailure } from '../../errors/describe-failure';
import { createOutageLog } from '../../errors/outage-log';
import { releaseLease, renewingLease } from './chain-lease';
import { openWork } from './open-work';
import { retryChain } from './retry-quarantined';
import { type PassResult, runTrackerOnce } from './run-tracker-once';
import type { TrackerDeps } from './tracker-deps';

export interface TrackersDeps extends TrackerDeps {
  /** Milliseconds between two passes over a chain that actions wait for. */
  readonly pollMs: number;
}

export interface Trackers {
  /** Resolves when all trackers of this process have stopped; other replicas may go on at once. */
  stop(): Promise<void>;
}

/** Interval between two passes over an idle chain; only the database is polled meanwhile. */
const IDLE_MS = 15_000;
const ELSEWHERE_MS = 5000;
const MAX_BACKOFF_MS = 30_000;

/** Starts a tracker for every served EVM chain. Failures are logged and retried with a backoff. */
export function startTrackers(tracker: TrackersDeps): Trackers {
  return trackChains(tracker, {
    chains: tracker.chains.all.filter((chain) => chain.kind === 'evm' && tracker.rpc.serves(chain.chainId)),
    async pass(chainId, signal) {
      const result = await runTrackerOnce(tracker, chainId);
      if (result === 'elsewhere') return result;
      await renewingLease(tracker, chainId, () => retryChain(tracker, chainId, signal));
      return result;
    },
  });
}

type LoopDeps = Pick<TrackerDeps, 'database' | 'replicaId' | 'log'> & Pick<TrackersDeps, 'pollMs'>;

/** Chains of one kind, and the function that runs a pass over one of them. */
export interface TrackedChains {
  readonly chains: readonly Chain[];
  readonly pass: (chainId: number, signal: AbortSignal) => Promise<PassResult>;
  /** True when others in this process need the lease of a chain longer: they release it. */
  readonly keepsLease?: boolean;
}

/** Runs passes over every chain, each at its own interval, until stopped. */
export function trackChains(deps: LoopDeps, { chains, pass, keepsLease = false }: TrackedChains): Trackers {
  const stopping = new AbortController();
  const loops = chains.map((chain) => track(deps, { chain, pass, keepsLease, signal: stopping.signal }));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

interface Tracked extends Pick<TrackedChains, 'pass' | 'keepsLease'> {
  readonly chain: Chain;
  readonly signal: AbortSignal;
}

async function track(deps: LoopDeps, { chain, pass, keepsLease, signal }: Tracked): Promise<void> {
  let failures = 0;
  const outages = createOutageLog(deps.log, { subject: { chain: chain.slug }, recovered: 'a tracker runs again' });
  while (!signal.aborted) {
    try {
      const result = await pass(chain.chainId, signal);
      failures = 0;
      outages.succeeded();
      await pause(deps, { chain, result, signal });
    } catch (error) {
      failures += 1;
      const waitMs = backoffMs({ baseMs: deps.pollMs, maxMs: MAX_BACKOFF_MS, failures });
      const cause = describeFailure(error);
      outages.failed('a tracker stopped with a failure', { waitMs, cause }, cause.message);
      await sleep(waitMs, signal);
    }
  }
  if (keepsLease === true) return;
  await releaseLease(deps, chain.chainId).catch(() => undefined); // it ends on its own
}

interface Pause {
  readonly chain: Chain;
  readonly result: PassResult;
  readonly signal: AbortSignal;
}

async function pause(deps: LoopDeps, { chain, result, signal }: Pause): Promise<void> {
  if (result === 'behind') return;
  if (result === 'elsewhere') return sleep(Math.max(ELSEWHERE_MS, deps.pollMs), signal);
  const until = Date.now() + (result === 'idle' ? IDLE_MS : 0);
  do {
    await sleep(deps.pollMs, signal);
  } while (Date.now() < until && !signal.aborted && (await openWork(deps.database, chain.chainId)) !== 'open');
}
