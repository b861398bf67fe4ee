/** Time since the tracker of a chain had read everything, in seconds. `recorded` is what the database says. */
export type TrackerLag = (chainId: number, recorded: number | null) => number;

const secondsNow = (): number => performance.now() / 1000;

/**
 * Returns the lag of each tracker, also while the database has none: a chain that was never read, or whose blocks have to be
 * read again after a reorganisation, must not look like one that is up to date. Its lag counts from the last time at which
 * this process saw it up to date, or else from the start of the process.
 */
export function createTrackerLag(now: () => number = secondsNow): TrackerLag {
  const startedAt = now();
  const readAt = new Map<number, number>();
  return (chainId, recorded) => {
    if (recorded === null) return now() - (readAt.get(chainId) ?? startedAt);
    readAt.set(chainId, now() - recorded);
    return recorded;
  };
}
