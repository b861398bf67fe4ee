/** A process that ends more often than this within `WINDOW_MS` is given up. */
export const MAX_RESTARTS = 5;
const WINDOW_MS = 60_000;

/** Creates the limit of one process. The returned function counts a restart, and returns false when there are too many. */
export function createRestartLimit(): () => boolean {
  const restarts: number[] = [];
  return () => {
    const now = performance.now();
    while (restarts[0] !== undefined && now - restarts[0] > WINDOW_MS) restarts.shift();
    return restarts.push(now) <= MAX_RESTARTS;
  };
}
