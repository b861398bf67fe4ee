/** Signals that ask a process to end. */
export const STOP_SIGNALS: ('SIGINT' | 'SIGTERM')[] = ['SIGINT', 'SIGTERM'];

/** npm passes the terminal's Ctrl-C on to a process that has got it already. */
const ECHO_MS = 1000;

/** Calls `stop` at the first signal to end. A later one, when it is no echo of the first, ends the process at once. */
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
