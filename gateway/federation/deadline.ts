import { interruptible } from '../../src/async/interruptible';
import type { Lifetime } from '../../src/auth/request-lifetime';
import { serviceError } from '../../src/errors/service-error';

export interface Deadline {
  readonly timeoutMs: number;
  readonly lifetime: Lifetime;
}

/**
 * Settles as `work` does, unless the timeout passes or the lifetime ends first.
 *
 * @throws SUBREQUEST_TIMEOUT
 */
export function withinDeadline<Value>(work: Promise<Value>, { timeoutMs, lifetime }: Deadline): Promise<Value> {
  return interruptible(work, ({ reject }) => {
    const expire = (): void => reject(serviceError('SUBREQUEST_TIMEOUT'));
    const timer = setTimeout(expire, timeoutMs);
    lifetime.onEnd(expire);
    if (lifetime.hasEnded()) expire();
    return () => {
      clearTimeout(timer);
      lifetime.offEnd(expire);
    };
  });
}
