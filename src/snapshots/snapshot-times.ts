import { resolveWithin } from '../async/resolve-within';

/** Ages and timeouts of snapshots, in milliseconds. */
export interface SnapshotTimes {
  /** Up to this age a snapshot is served as it is; 500 by default. */
  readonly freshMs?: number;
  /** Up to this age it is served while the next one is computed; 1,000 by default. Later, and after a change, a request waits. */
  readonly servedMs?: number;
  /** How long a request waits before it is served the old one; 800 by default. */
  readonly waitMs?: number;
  /** Time that a process has for a computation before another one may claim it; 15,000 by default. */
  readonly claimMs?: number;
  /** An older one is served only when the next one cannot be computed; 5,000 by default. */
  readonly oldMs?: number;
  /** An older one is never served; six hours by default. */
  readonly maxAgeMs?: number;
}

export function timesOf({ snapshotTimes = {} }: { readonly snapshotTimes?: SnapshotTimes }): Required<SnapshotTimes> {
  const { freshMs = 500, servedMs = 1000, waitMs = 800, claimMs = 15_000 } = snapshotTimes;
  const { oldMs = 5000, maxAgeMs = 6 * 3_600_000 } = snapshotTimes;
  return { freshMs, servedMs: Math.max(servedMs, freshMs), waitMs, claimMs, oldMs, maxAgeMs };
}

/**
 * The snapshot that is being computed. `undefined` when a stored one of this age is served instead: the next one takes too long
 * or cannot be computed.
 */
export function nextWithin<Next>(
  run: Promise<Next>,
  ageMs: number,
  { waitMs, oldMs, maxAgeMs }: Required<SnapshotTimes>,
): Promise<Next | undefined> {
  if (ageMs > maxAgeMs) return run;
  return (ageMs > oldMs ? run : resolveWithin(run, waitMs)).catch(() => undefined);
}
