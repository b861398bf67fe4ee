import { setTimeout as wait } from 'node:timers/promises';
import type { OpenDatabase } from '../../src/persistence/database';
import { type Figure, none, plain } from './figures';
import type { Writers } from './writers';
import type { WrittenService } from './written-service';

/** Time for the webhooks that still wait: a killed process holds those that it was sending for a minute. */
const WEBHOOKS_MS = 600_000;
const POLL_MS = 500;

/** Compares what the service has acknowledged with what its database has, and waits for the webhooks of all actions. */
export async function verifyWrites(service: WrittenService, writers: Writers): Promise<readonly Figure[]> {
  const stored = await service.query((opened) => readStored(opened, service.customerId));
  const ids = [...writers.actions.values()];
  const startedAt = performance.now();
  const late = await undelivered(service, stored.events, startedAt + WEBHOOKS_MS);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  return [
    plain('acknowledged quotes', writers.quotes.size),
    none('acknowledged quotes that are lost', [...writers.quotes].filter((id) => !stored.quotes.has(id)).length),
    plain('acknowledged actions', ids.length),
    none('acknowledged actions that are lost', ids.filter((id) => !stored.actions.has(id)).length),
    none('actions more than acknowledged ones', stored.actions.size - new Set(ids).size),
    none('second actions of a quote', ids.length - new Set(ids).size + stored.duplicates),
    none('actions without a step, an entry of their history or an event', stored.incomplete),
    plain('webhooks of actions', stored.events.length),
    none('webhooks that were not delivered', late),
    none('webhooks without a valid signature', service.unverified.length),
    plain('time until the last webhook, after the load', `${seconds} s`),
  ];
}

interface Stored {
  readonly quotes: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly duplicates: number;
  readonly incomplete: number;
  /** Ids of the webhooks of actions. */
  readonly events: readonly string[];
}

const INCOMPLETE = `
  SELECT action.id FROM "Action" AS action
   WHERE "customerId" = $1::uuid
     AND (NOT EXISTS (SELECT 1 FROM "ActionStep" AS step WHERE step."actionId" = action.id)
       OR NOT EXISTS (SELECT 1 FROM "ActionEvent" AS event WHERE event."actionId" = action.id)
       OR NOT EXISTS (SELECT 1 FROM "WebhookEvent" AS event
                       WHERE event."subjectId" = action.id AND event.type = 'action.created'))`;
const DUPLICATES = `SELECT "quoteId" AS id FROM "Action" WHERE "customerId" = $1::uuid GROUP BY 1 HAVING count(*) > 1`;

async function readStored({ pool }: OpenDatabase, customerId: string): Promise<Stored> {
  const idsOf = async (statement: string): Promise<readonly string[]> =>
    (await pool.query<{ id: string }>(statement, [customerId])).rows.map(({ id }) => id);
  return {
    quotes: new Set(await idsOf('SELECT id FROM "Quote" WHERE "customerId" = $1::uuid')),
    actions: new Set(await idsOf('SELECT id FROM "Action" WHERE "customerId" = $1::uuid')),
    duplicates: (await idsOf(DUPLICATES)).length,
    incomplete: (await idsOf(INCOMPLETE)).length,
    events: await idsOf(`SELECT id FROM "WebhookEvent" WHERE "customerId" = $1::uuid AND type LIKE 'action.%'`),
  };
}

/** Number of the webhooks that the receiver did not get until the deadline. */
async function undelivered({ received }: WrittenService, events: readonly string[], deadline: number): Promise<number> {
  for (;;) {
    const missing = events.filter((id) => !received.has(id)).length;
    if (missing === 0 || performance.now() > deadline) return missing;
    await wait(POLL_MS);
  }
}

/** How the requests without success ended. */
export const failureFigures = ({ failures, refused, undocumented }: Writers): readonly Figure[] => [
  ...[...failures].map(([name, count]) => plain(`requests that ended with ${name}`, count)),
  none('actions that were refused for good', refused.size),
  none(`errors that are not documented ${undocumented[0] ?? ''}`.trim(), undocumented.length),
];
