import type { ActionFeed } from './action-feed';
import type { ActionView } from './action-view';
import { type ActionReference, getAction } from './get-action';
import type { ActionDeps } from './list-actions';
import { isFinished } from './state/transitions';

export interface WatchDeps extends ActionDeps {
  readonly feed: ActionFeed;
}

export interface ActionWatchRequest extends ActionReference {
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * The action as it is now, and again whenever it has changed, until it has ended or the signal aborts. Changes that follow
 * one another quickly may be told as one.
 *
 * @throws ACTION_NOT_FOUND when the customer has no such action; SERVICE_UNAVAILABLE when too many are watched.
 */
export async function watchAction(deps: WatchDeps, request: ActionWatchRequest): Promise<AsyncGenerator<ActionView>> {
  await getAction(deps, request);
  return changesOf(deps, request);
}

async function* changesOf(deps: WatchDeps, { signal, ...reference }: ActionWatchRequest): AsyncGenerator<ActionView> {
  const watch = deps.feed.watch(reference.actionId);
  signal.addEventListener('abort', watch.close, { once: true }); // also when nobody asks for the next change any more
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
