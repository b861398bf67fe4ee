/** Time since the tracker of a chain had read everything, in seconds. `recorded` is what the database says. */
export type TrackerLag = (chainId: number, recorded: number | null) => number;

const secondsNow = (): number => performance.now() / 1000;

/**
 * Knows the lag of a tracker also while the database does not: a chain that was never read, or whose blocks have to be read
 * again after a reorganisation, must not look like one that is up to date. Then the time counts from the last one that this
 * process has seen, or else from its start.
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
