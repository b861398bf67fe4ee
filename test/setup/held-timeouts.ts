/** Signals of `AbortSignal.timeout` that follow no clock. */
export interface HeldTimeouts {
  /** Aborts the signals that were created so far. */
  end(): void;
  /** Signals that are created later follow the clock again. */
  release(): void;
}

/**
 * Replaces `AbortSignal.timeout`: its signals abort when the test calls `end`, so that the speed of the machine does not decide when
 * a request times out.
 */
export function holdTimeouts(): HeldTimeouts {
  const running = new Set<AbortController>();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    running.add(controller);
    return controller.signal;
  });
  return {
    end() {
      for (const controller of running) controller.abort(timeoutError());
      running.clear();
    },
    release: () => timeout.mockRestore(),
  };
}

/** The abort reason of `AbortSignal.timeout`. */
export const timeoutError = (): DOMException =>
  new DOMException('the operation was aborted due to timeout', 'TimeoutError');
