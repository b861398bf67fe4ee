import { trackChains, type Trackers, type TrackersDeps } from '../start-trackers';
import { createLookBook } from './search-schedule';
import { runSolanaTrackerOnce } from './run-solana-tracker-once';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export type SolanaTrackerOptions = Omit<SolanaTrackerDeps, 'looks'> & Pick<TrackersDeps, 'pollMs'>;

/** Starts a tracker for every Solana chain that is served. Failures are logged and retried, ever more slowly. */
export function startSolanaTracker(options: SolanaTrackerOptions): Trackers {
  const { chains, solana } = options;
  const deps = { ...options, looks: createLookBook() };
  return trackChains(options, {
    chains: chains.all.filter(({ kind, chainId }) => kind === 'solana' && solana.serves(chainId)),
    pass: (chainId) => runSolanaTrackerOnce(deps, chainId),
  });
}
