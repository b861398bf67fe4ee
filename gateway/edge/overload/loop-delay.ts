import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop runs its timers. */
export interface LoopDelay {
  /** Returns the mean delay in milliseconds since the previous call. */
  read(): number;
  stop(): void;
}

const RESOLUTION_MS = 10;
const NANOSECONDS_PER_MS = 1_000_000;

export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    read() {
      const { count, mean } = histogram;
      histogram.reset();
      // The histogram has the time between two samples, so that a loop without delay shows the resolution.
      return count === 0 ? 0 : Math.max(mean / NANOSECONDS_PER_MS - RESOLUTION_MS, 0);
    },
    stop: () => void histogram.disable(),
  };
}
