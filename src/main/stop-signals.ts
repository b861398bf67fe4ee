/** Signals that end a process. */
export const STOP_SIGNALS: ('SIGINT' | 'SIGTERM')[] = ['SIGINT', 'SIGTERM'];

/** npm forwards the terminal's Ctrl-C to a process that has already received it. */
const ECHO_MS = 1000;

/** Calls `stop` at the first signal. A second signal ends the process at once, unless npm forwarded the first. */
export function onStopSignal(stop: () => void): void {
  let firstAt: number | undefined;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        stop();
      } else if (performance.now() - firstAt > ECHO_MS) {
        process.exit(1);
      }
    });
  }
}
