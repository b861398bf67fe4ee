import type { Logger } from 'pino';
import { customerLimitError } from '../auth/customer-limits';
import { type ChangeWatch, createChangeFeed } from '../async/change-feed';
import { createSharedCapacity } from '../async/shared-capacity';
import type { ActionReference } from './get-action';
import { runForService } from '../persistence/customer-scope';
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

/** Notifies the watches of this process of changed actions, with one query at a time for up to 500 of them. */
export interface ActionFeed {
  /**
   * `maximum`: watches that the customer may have.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many watches; SERVICE_UNAVAILABLE when the process has.
   */
  watch(action: ActionReference, maximum?: number): ChangeWatch;
}

const CAPACITY = { perCustomer: 1000, total: 10_000 };

const FULL = 'too many subscriptions to actions are open. Retry later';

export function createActionFeed({ pollMs, capacity = CAPACITY, ...deps }: ActionFeedDeps): ActionFeed {
  const customerError = (maximum: number) => customerLimitError('actionWatches', maximum);
  const places = createSharedCapacity({ ...capacity, customerError, full: FULL });
  const feed = createChangeFeed({
    pollMs,
    // The poll goes on after the subscription that has started it, for those of other customers.
    readVersions: (ids) => runForService('subscriptions', () => readVersions(deps.database, ids)),
    onFailure: (error) => deps.log?.warn({ cause: describeFailure(error) }, 'the changes of actions could not be read'),
  });
  return {
    watch: ({ customerId, actionId }, maximum) => feed.watch(actionId, places.take(customerId, 1, maximum)),
  };
}

/** Versions of actions: each change of an action, its events or its steps changes its version. */
async function readVersions(
  database: ActionFeedDeps['database'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.$queryRaw<{ id: string; version: string }[]>`
    SELECT action.id, concat_ws(' ', action."updatedAt",
             (SELECT max(event.id) FROM "ActionEvent" AS event WHERE event."actionId" = action.id),
             (SELECT max(step."updatedAt") FROM "ActionStep" AS step WHERE step."actionId" = action.id)) AS version
      FROM "Action" AS action WHERE action.id = ANY(${[...ids]}::uuid[])`;
  return new Map(rows.map(({ id, version }) => [id, version]));
}
