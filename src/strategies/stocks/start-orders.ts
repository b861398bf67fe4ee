import { setMaxListeners } from 'node:events';
import { backoffMs } from '../../async/backoff';
import { sleep } from '../../async/sleep';
import { describeFailure } from '../../errors/describe-failure';
import { advanceOrder, type OrderDeps } from './advance-order';
import { claimOrders } from './claim-orders';
import { pollUnfunded } from './poll-unfunded';

export interface Orders {
  /** Starts no further attempts. Resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Orders that one process carries on at the same time. */
const MAX_CONCURRENT = 8;
const MAX_BACKOFF_MS = 30_000;

/** Carries out orders of tokenized stocks until stopped. Any number of processes may run. */
export function startOrders(deps: OrderDeps): Orders {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every attempt listens
  const lanes = [runLane(deps, stopping.signal), runUnfunded(deps, stopping.signal)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

async function runLane(deps: OrderDeps, stopping: AbortSignal): Promise<void> {
  const { pollMs, log } = deps;
  const running = new Set<Promise<void>>();
  let failures = 0;
  while (!stopping.aborted) {
    try {
      for (const order of await claimOrders(deps, MAX_CONCURRENT - running.size)) {
        const attempt = advanceOrder(deps, order, stopping)
          .catch((error: unknown) => {
            // The database is unreachable: then the lease ends by itself.
            log.warn({ cause: describeFailure(error) }, 'the result of an attempt for an order could not be stored');
          })
          .finally(() => running.delete(attempt));
        running.add(attempt);
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ failures, cause: describeFailure(error) }, 'due orders could not be claimed');
    }
    const pause = sleep(backoffMs({ baseMs: pollMs, maxMs: MAX_BACKOFF_MS, failures }), stopping);
    const isFull = running.size === MAX_CONCURRENT && failures === 0;
    await Promise.race([pause, ...(isFull ? running : [])]);
  }
  await Promise.all(running);
}

async function runUnfunded(deps: OrderDeps, stopping: AbortSignal): Promise<void> {
  const { pollMs, log } = deps;
  let failures = 0;
  while (!stopping.aborted) {
    try {
      await pollUnfunded(deps);
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ failures, cause: describeFailure(error) }, 'orders without funds could not be polled');
    }
    await sleep(backoffMs({ baseMs: pollMs, maxMs: MAX_BACKOFF_MS, failures }), stopping);
  }
}
