import type { Logger } from 'pino';
import { customerLimitError } from '../auth/customer-limits';
import { type ChangeSignal, createChangeSignal } from '../async/change-signal';
import { createSharedCapacity } from '../async/shared-capacity';
import type { ActionReference } from './get-action';
import type { Database } from '../persistence/database';
import { describeFailure } from '../errors/describe-failure';

export interface ActionFeedDeps {
  readonly database: Pick<Database, '$queryRaw'>;
  readonly log?: Pick<Logger, 'warn'> | undefined;
  /** Milliseconds between two polls of the watched actions. */
  readonly pollMs?: number;
  /** Maximum concurrent watches of this process, per customer and in total. */
  readonly capacity?: { readonly perCustomer: number; readonly total: number };
}

/** A watch on one action. */
export interface ActionWatch extends Pick<ChangeSignal, 'changed'> {
  readonly close: () => void;
}

/** Notifies the watches of this process of changed actions, with one query at a time for all of them. */
export interface ActionFeed {
  /**
   * `maximum`: watches that the customer may have.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many watches; SERVICE_UNAVAILABLE when the process has.
   */
  watch(action: ActionReference, maximum?: number): ActionWatch;
}

const POLL_MS = 1000;
const CAPACITY = { perCustomer: 1000, total: 10_000 };

const FULL = 'too many subscriptions to actions are open. Retry later';

interface Watcher extends ChangeSignal {
  version: string | undefined;
}

export function createActionFeed({ pollMs = POLL_MS, capacity = CAPACITY, ...deps }: ActionFeedDeps): ActionFeed {
  const watchers = new Map<string, Set<Watcher>>();
  const customerError = (maximum: number) => customerLimitError('actionWatches', maximum);
  const places = createSharedCapacity({ ...capacity, customerError, full: FULL });
  const state = { count: 0, polling: false };
  const poll = async (): Promise<void> => {
    state.polling = true;
    while (state.count > 0) {
      await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
      await notifyWatchers(deps, watchers);
    }
    state.polling = false;
  };
  return {
    watch({ customerId, actionId }, maximum) {
      const release = places.take(customerId, 1, maximum);
      const watcher: Watcher = { ...createChangeSignal(), version: undefined };
      const own = watchers.get(actionId) ?? new Set();
      watchers.set(actionId, own.add(watcher));
      state.count += 1;
      if (!state.polling) void poll();
      return {
        changed: watcher.changed,
        close: () => {
          release();
          if (own.delete(watcher)) state.count -= 1;
          if (own.size === 0 && watchers.get(actionId) === own) watchers.delete(actionId);
        },
      };
    },
  };
}

type FeedDeps = Pick<ActionFeedDeps, 'database' | 'log'>;

/** A failed poll is logged; the next one reports the changes that it missed. */
async function notifyWatchers(deps: FeedDeps, watchers: ReadonlyMap<string, ReadonlySet<Watcher>>): Promise<void> {
  try {
    const versions = await readVersions(deps.database, [...watchers.keys()]);
    for (const { id, version } of versions) {
      for (const watcher of watchers.get(id) ?? []) notify(watcher, version);
    }
  } catch (error) {
    deps.log?.warn({ cause: describeFailure(error) }, 'the changes of actions could not be read');
  }
}

/** The first version that a watch sees may be newer than the action that its owner has read: it counts as a change. */
function notify(watcher: Watcher, version: string): void {
  if (watcher.version === version) return;
  watcher.version = version;
  watcher.notify();
}

/** Versions of actions: each change of an action, its events or its steps changes its version. */
async function readVersions(
  database: ActionFeedDeps['database'],
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly version: string }[]> {
  if (ids.length === 0) return [];
  return database.$queryRaw<{ id: string; version: string }[]>`
    SELECT action.id, concat_ws(' ', action."updatedAt",
             (SELECT max(event.id) FROM "ActionEvent" AS event WHERE event."actionId" = action.id),
             (SELECT max(step."updatedAt") FROM "ActionStep" AS step WHERE step."actionId" = action.id)) AS version
      FROM "Action" AS action WHERE action.id = ANY(${[...ids]}::uuid[])`;
}
