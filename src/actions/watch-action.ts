import type { FindCustomerLimit } from '../auth/customer-limits';
import type { ActionFeed } from './action-feed';
import type { ActionView } from './action-view';
import { type ActionReference, getAction } from './get-action';
import type { ActionDeps } from './list-actions';
import { isFinished } from './state/status-transitions';

export interface WatchDeps extends ActionDeps {
  readonly feed: ActionFeed;
  readonly findLimit: FindCustomerLimit;
}

export interface ActionWatchRequest extends ActionReference {
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Yields the action now and after each change, until it has ended or the signal aborts. Changes in quick succession may be
 * reported as one.
 *
 * @throws ACTION_NOT_FOUND when the customer has no such action; RATE_LIMIT_EXCEEDED when the customer has
 * too many watches; SERVICE_UNAVAILABLE when the process has.
 */
export async function watchAction(deps: WatchDeps, request: ActionWatchRequest): Promise<AsyncGenerator<ActionView>> {
  await getAction(deps, request);
  return changesOf(deps, request);
}

async function* changesOf(deps: WatchDeps, { signal, ...reference }: ActionWatchRequest): AsyncGenerator<ActionView> {
  const maximum = await deps.findLimit(reference.customerId, 'actionWatches');
  const watch = deps.feed.watch(reference, maximum);
  signal.addEventListener('abort', watch.close, { once: true }); // also when the consumer never requests the next change
  try {
    let shown: string | undefined;
    while (!signal.aborted) {
      const action = await getAction(deps, reference);
      const now = JSON.stringify(action);
      if (now !== shown) yield action;
      shown = now;
      if (isFinished(action.status)) return;
      await watch.changed(signal);
    }
  } finally {
    signal.removeEventListener('abort', watch.close);
    watch.close();
  }
}
