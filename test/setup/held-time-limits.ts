/** Time limits that stand still. */
export interface HeldTimeLimits {
  /** Ends all limits that were begun so far, as if their time were over. */
  end(): void;
  /** Later limits follow the clock again. */
  release(): void;
}

/**
 * Holds the limits of `AbortSignal.timeout`, so that a test and not the speed of the machine decides when the time of a
 * request is over.
 */
export function holdTimeLimits(): HeldTimeLimits {
  const running = new Set<AbortController>();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    running.add(limit);
    return limit.signal;
  });
  return {
    end() {
      for (const limit of running) limit.abort(timeIsOver());
      running.clear();
    },
    release: () => timeout.mockRestore(),
  };
}

/** The abort reason of a time limit. */
export const timeIsOver = (): DOMException => new DOMException('the time is over', 'TimeoutError');
