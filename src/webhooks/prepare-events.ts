import type { Logger } from 'pino';
import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { describeFailure } from '../errors/describe-failure';
import type { Database, Transaction } from '../persistence/database';
import { databaseOutage } from '../persistence/database-outage';
import { uuidV7 } from '../persistence/uuid-v7';
import { limitOrigins } from './limit-origins';
import { originOf } from './webhook-url-problem';

/** Events that one transaction prepares. */
const BATCH_SIZE = 100;
/** Receivers may reject larger bodies. */
const MAX_BODY_BYTES = 20_000;
/** Characters of the reason why an event could not be prepared. */
const MAX_FAILURE_CHARACTERS = 500;

const eventRow = z.object({
  id: z.string(),
  customerId: z.string(),
  type: z.string(),
  subjectId: z.string(),
  url: z.string().nullable(),
  snapshot: z.unknown(),
  at: z.date(),
});

/** An event whose body has to be made. */
export type UnpreparedEvent = z.infer<typeof eventRow>;

/** What an event shows. `url` replaces the one that was stored with the event. */
export interface WebhookData {
  readonly data: object;
  readonly url?: string | null | undefined;
}

/** Returns what an event shows; `undefined` when it has become void, as the expiry of a quote that was executed. */
export type RenderWebhook = (tx: Transaction, event: UnpreparedEvent) => Promise<WebhookData | undefined>;

export interface PrepareDeps {
  readonly database: Pick<Database, '$transaction' | '$queryRaw' | '$executeRaw'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly render: RenderWebhook;
}

/**
 * Makes the bodies and deliveries of the events that are due. Each event is prepared once, after those before it of the same
 * action. Any number of processes may run it. Returns the number of events.
 */
export const prepareEvents = async (deps: PrepareDeps): Promise<number> =>
  (await isAnyDue(deps.database)) ? prepareBatch(deps, BATCH_SIZE) : 0;

/** When a batch cannot be stored, its events are prepared one by one, and those that cannot be stored are set aside. */
async function prepareBatch(deps: PrepareDeps, limit: number): Promise<number> {
  const { database, log, render } = deps;
  let events: readonly UnpreparedEvent[] = [];
  try {
    await database.$transaction(async (tx) => {
      events = await claimEvents(tx, limit);
      if (events.length === 0) return;
      const prepared: PreparedEvent[] = [];
      for (const event of events) prepared.push(await prepare({ tx, log, render }, event));
      await storeEvents(tx, prepared);
    });
    return events.length;
  } catch (error) {
    const [first] = events;
    if (first === undefined || databaseOutage(error) !== undefined) throw error;
    return limit === 1 ? setAside(deps, first, error) : prepareOneByOne(deps, events.length);
  }
}

async function prepareOneByOne(deps: PrepareDeps, limit: number): Promise<number> {
  let count = 0;
  while (count < limit && (await prepareBatch(deps, 1)) > 0) count += 1;
  return count;
}

/** Keeps an event without a body, with the reason, until an operator has it prepared again. */
async function setAside({ database, log }: PrepareDeps, event: UnpreparedEvent, error: unknown): Promise<number> {
  const failure = reportFailure(log, event, error);
  await database.$executeRaw`
    UPDATE "WebhookEvent" SET failure = ${failure}, "preparedAt" = now()
     WHERE id = ${event.id}::uuid AND "preparedAt" IS NULL`;
  return 1;
}

/** One cheap statement, for the many polls that find nothing. */
async function isAnyDue(database: Pick<Database, '$queryRaw'>): Promise<boolean> {
  const due = await database.$queryRaw<unknown[]>`
    SELECT 1 FROM "WebhookEvent" WHERE "preparedAt" IS NULL AND "dueAt" <= now() LIMIT 1`;
  return due.length > 0;
}

async function claimEvents(tx: Transaction, limit: number): Promise<readonly UnpreparedEvent[]> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT event.id, event."customerId", event.type, event."subjectId", event.url, event.snapshot,
           greatest(event."occurredAt", event."dueAt") AS at
      FROM "WebhookEvent" AS event
     WHERE event."preparedAt" IS NULL AND event."dueAt" <= now()
       AND NOT EXISTS (SELECT 1 FROM "WebhookEvent" AS earlier
                        WHERE earlier."orderKey" = event."orderKey" AND earlier.seq < event.seq
                          AND earlier."preparedAt" IS NULL)
     ORDER BY event."dueAt" LIMIT ${limit} FOR UPDATE OF event SKIP LOCKED`;
  return rows.map((row) => eventRow.parse(row));
}

interface PreparedEvent {
  readonly id: string;
  readonly customerId: string;
  readonly url: string | null;
  /** Scheme, host and port of `url`. */
  readonly origin: string | null;
  /** True when the URL names one origin too many. */
  readonly isOverLimit: boolean;
  /** Null for an event that is void, or that cannot be rendered. */
  readonly body: string | null;
  readonly failure: string | null;
}

/** An event that cannot be rendered is set aside with the reason and its snapshot; the others go on. */
async function prepare(
  { tx, log, render }: { readonly tx: Transaction } & Pick<PrepareDeps, 'log' | 'render'>,
  event: UnpreparedEvent,
): Promise<PreparedEvent> {
  const { id, customerId } = event;
  const none = { id, customerId, url: null, origin: null, isOverLimit: false, body: null };
  try {
    const rendered = await render(tx, event);
    if (rendered === undefined) return { ...none, failure: null };
    const url = rendered.url === undefined ? event.url : rendered.url;
    const origin = url === null ? null : originOf(url);
    return { id, customerId, url, origin, isOverLimit: false, body: bodyOf(event, rendered.data), failure: null };
  } catch (error) {
    if (databaseOutage(error) !== undefined) throw error;
    return { ...none, failure: reportFailure(log, event, error) };
  }
}

/** Logs why an event cannot be prepared, and returns it, without half a character at the end, which the database refuses. */
function reportFailure(log: PrepareDeps['log'], { id, type, subjectId }: UnpreparedEvent, error: unknown): string {
  const cause = describeFailure(error);
  log.warn({ eventId: id, type, subjectId, cause }, 'a webhook event could not be prepared');
  return JSON.stringify(cause)
    .slice(0, MAX_FAILURE_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');
}

function bodyOf({ type, at, subjectId }: UnpreparedEvent, data: object): string {
  const timestamp = at.toISOString();
  const body = JSON.stringify({ type, timestamp, data });
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  return JSON.stringify({ type, timestamp, data: { id: subjectId, truncated: true } });
}

/** In a few statements, however many events. An event with a URL of its own has one delivery; void ones have none. */
async function storeEvents(tx: Transaction, prepared: readonly PreparedEvent[]): Promise<void> {
  const events = await limitOrigins(tx, prepared);
  const rows = JSON.stringify(events);
  await tx.$executeRaw`
    UPDATE "WebhookEvent" AS event
       SET body = prepared.body, url = prepared.url, failure = prepared.failure, "preparedAt" = now(),
           snapshot = CASE WHEN prepared.failure IS NOT NULL THEN event.snapshot END
      FROM json_to_recordset(${rows}::json) AS prepared(id uuid, body text, url text, failure text)
     WHERE event.id = prepared.id`;
  await addQuoteEndpoints(tx, events);
  await tx.$executeRaw`
    INSERT INTO "WebhookDelivery" (id, "customerId", "eventId", "endpointId", "orderKey", seq, state, "parkedReason", "finishedAt",
                                   "nextAt")
    SELECT gen_random_uuid(), event."customerId", event.id, endpoint.id,
           CASE endpoint.ordering WHEN 'action' THEN event."orderKey" END, event.seq,
           CASE WHEN reason IS NULL THEN 'WAITING' ELSE 'PARKED' END, reason, CASE WHEN reason IS NOT NULL THEN now() END,
           greatest(now(), (SELECT max(earlier."nextAt") FROM "WebhookDelivery" AS earlier
                             WHERE earlier."endpointId" = endpoint.id AND endpoint.ordering = 'action'
                               AND earlier."orderKey" = event."orderKey" AND earlier.seq < event.seq
                               AND earlier.state = 'WAITING'))
      FROM json_to_recordset(${rows}::json) AS prepared(id uuid, origin text, "isOverLimit" boolean, body text)
      JOIN "WebhookEvent" AS event ON event.id = prepared.id
      JOIN "WebhookEndpoint" AS endpoint ON endpoint."customerId" = event."customerId"
       AND endpoint.state <> 'DELETED'
       AND CASE WHEN prepared.origin IS NULL
                THEN endpoint.kind = 'CUSTOMER'
                     AND (cardinality(endpoint."eventTypes") = 0 OR event.type = ANY(endpoint."eventTypes"))
                ELSE endpoint.kind = 'QUOTE' AND endpoint.url = prepared.origin END
     CROSS JOIN LATERAL (SELECT CASE WHEN endpoint.state <> 'ENABLED' THEN 'ENDPOINT_DISABLED'
                                     WHEN prepared."isOverLimit" THEN 'ORIGIN_LIMIT' END AS reason) AS parked
     WHERE prepared.body IS NOT NULL`;
}

/** Sorted, so that concurrent workers that add the same rows do not wait for each other in a circle. */
async function addQuoteEndpoints(tx: Transaction, events: readonly PreparedEvent[]): Promise<void> {
  const keys = events.flatMap(({ customerId, origin }) => (origin === null ? [] : [`${customerId} ${origin}`]));
  const data = [...new Set(keys)].sort().map((key) => {
    const [customerId = '', url = ''] = key.split(' ');
    return { id: uuidV7(), customerId, url };
  });
  if (data.length === 0) return;
  // The update keeps the retention from removing the row before it has this delivery.
  await tx.$executeRaw`
    INSERT INTO "WebhookEndpoint" (id, "customerId", url, kind)
    SELECT added.id, added."customerId", added.url, 'QUOTE'
      FROM json_to_recordset(${JSON.stringify(data)}::json) AS added(id uuid, "customerId" uuid, url text)
    ON CONFLICT ("customerId", url) WHERE kind = 'QUOTE' DO UPDATE SET "updatedAt" = now()`;
}

/** Events that one call prepares again. */
const MAX_REPEATED = 1000;

/** Has events that could not be rendered prepared again, the oldest first, at most 1,000 in a call. Returns their number. */
export const repeatFailedEvents = (
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  customerId: CustomerId,
): Promise<number> =>
  database.$executeRaw`
    UPDATE "WebhookEvent" SET "preparedAt" = NULL, failure = NULL
     WHERE id IN (SELECT id FROM "WebhookEvent" WHERE "customerId" = ${customerId}::uuid AND failure IS NOT NULL
                   ORDER BY id LIMIT ${MAX_REPEATED} FOR UPDATE SKIP LOCKED)`;
