import { setMaxListeners } from 'node:events';
import { serviceError } from '../../src/errors/service-error';

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Settles as `work` does, unless the time is over or the signal aborts first.
 *
 * @throws SUBREQUEST_TIMEOUT
 */
export function withinDeadline<Value>(work: Promise<Value>, { timeoutMs, signal }: Deadline): Promise<Value> {
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      release();
      reject(serviceError('SUBREQUEST_TIMEOUT'));
    };
    const timer = setTimeout(expire, timeoutMs);
    setMaxListeners(0, signal); // many fetches of one request wait at a time
    signal.addEventListener('abort', expire, { once: true });
    const release = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', expire);
    };
    if (signal.aborted) expire();
    void work.then(resolve, reject).finally(release);
  });
}
