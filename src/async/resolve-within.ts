import { interruptible } from './interruptible';

/**
 * Settles as `work` does, or resolves to `undefined` after `timeoutMs` milliseconds. The work goes on; if it fails later,
 * the failure is ignored. The timer does not keep the process alive and is cleared when the work has settled.
 *
 * After a stall of this process the timer is due before responses are handled that arrived in time: those come first.
 */
export function resolveWithin<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result | undefined> {
  return interruptible<Result | undefined>(work, ({ resolve }) => {
    let turn: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      turn = setImmediate(() => resolve(undefined));
    }, timeoutMs).unref();
    return () => {
      clearTimeout(timer);
      if (turn !== undefined) clearImmediate(turn);
    };
  });
}
