import type { Lifetime } from '../../src/auth/lifetime';
import { serviceError } from '../../src/errors/service-error';

export interface Deadline {
  readonly timeoutMs: number;
  readonly lifetime: Lifetime;
}

/**
 * Settles as `work` does, unless the time is over or the lifetime ends first.
 *
 * @throws SUBREQUEST_TIMEOUT
 */
export function withinDeadline<Value>(work: Promise<Value>, { timeoutMs, lifetime }: Deadline): Promise<Value> {
  return new Promise((resolve, reject) => {
    const release = (): void => {
      clearTimeout(timer);
      lifetime.forget(expire);
    };
    const expire = (): void => {
      release();
      reject(serviceError('SUBREQUEST_TIMEOUT'));
    };
    const timer = setTimeout(expire, timeoutMs);
    lifetime.onceOver(expire);
    if (lifetime.isOver()) expire();
    void work.then(release, release);
    work.then(resolve, reject);
  });
}
