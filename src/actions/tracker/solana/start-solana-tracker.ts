import { trackChains, type Trackers, type TrackersDeps } from '../start-trackers';
import { createSearchSchedule } from './search-schedule';
import { runSolanaTrackerOnce } from './run-solana-tracker-once';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export type SolanaTrackerOptions = Omit<SolanaTrackerDeps, 'schedule'> & Pick<TrackersDeps, 'pollMs'>;

/** Starts a tracker for every served Solana chain. Failures are logged and retried with a backoff. */
export function startSolanaTracker(options: SolanaTrackerOptions): Trackers {
  const { chains, solana } = options;
  const deps = { ...options, schedule: createSearchSchedule() };
  return trackChains(options, {
    chains: chains.all.filter(({ kind, chainId }) => kind === 'solana' && solana.serves(chainId)),
    pass: (chainId) => runSolanaTrackerOnce(deps, chainId),
  });
}
