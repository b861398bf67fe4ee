import type { ActionFeed } from './action-feed';
import type { ActionView } from './action-view';
import { type ActionReference, getAction } from './get-action';
import type { ActionDeps } from './list-actions';
import { isFinished } from './state/status-transitions';

export interface WatchDeps extends ActionDeps {
  readonly feed: ActionFeed;
}

export interface ActionWatchRequest extends ActionReference {
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Yields the action now and after each change, until it has ended or the signal aborts. Changes in quick succession may be
 * reported as one.
 *
 * @throws ACTION_NOT_FOUND when the customer has no such action; SERVICE_UNAVAILABLE when the customer or
 * the process has too many watches.
 */
export async function watchAction(deps: WatchDeps, request: ActionWatchRequest): Promise<AsyncGenerator<ActionView>> {
  await getAction(deps, request);
  return changesOf(deps, request);
}

async function* changesOf(deps: WatchDeps, { signal, ...reference }: ActionWatchRequest): AsyncGenerator<ActionView> {
  const watch = deps.feed.watch(reference);
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
