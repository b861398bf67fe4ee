import { interruptible } from './interruptible';

/**
 * Settles as `work` does, or resolves to `undefined` after `timeoutMs` milliseconds. The work goes on; if it fails later,
 * the failure is ignored. The timer does not keep the process alive and is cleared when the work has settled.
 */
export function resolveWithin<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result | undefined> {
  return interruptible<Result | undefined>(work, ({ resolve }) => {
    const timer = setTimeout(() => resolve(undefined), timeoutMs).unref();
    return () => clearTimeout(timer);
  });
}
