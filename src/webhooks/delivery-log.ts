import { z } from 'zod';
import { recordAudit } from '../auth/audit-log';
import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { Prisma } from '../persistence/client/client';
import type { Database, Transaction } from '../persistence/database';
import { pageCursor, parsePageCursor } from '../persistence/page-cursor';
import { type ByActor, type EndpointKey, endpointTarget, findEndpoint } from './endpoints';
import { TEST_EVENT_TYPE, WEBHOOK_EVENT_TYPES } from './event-types';

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;
export const DELIVERY_STATES = ['WAITING', 'DELIVERED', 'PARKED', 'REPLAYED'] as const;
export type WebhookDeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt of a delivery. */
export interface WebhookAttempt {
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly response: string | null;
}

/** An event for one endpoint, with the attempts of the last week. */
export interface WebhookDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly type: string;
  /** Id of the quote, action, profile or endpoint that the event is about. */
  readonly subjectId: string;
  readonly url: string;
  readonly state: WebhookDeliveryState;
  readonly parkedReason: string | null;
  readonly attemptCount: number;
  /** Null unless it waits. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly body: string;
  readonly attempts: readonly WebhookAttempt[];
}

export interface DeliveryFilter {
  readonly endpointId?: string | null | undefined;
  readonly eventId?: string | null | undefined;
  readonly subjectId?: string | null | undefined;
  readonly state?: WebhookDeliveryState | null | undefined;
  readonly type?: string | null | undefined;
}

export interface DeliveryQuery extends DeliveryFilter {
  readonly customerId: CustomerId;
  /** 1 to 100, default 20. */
  readonly first?: number | null | undefined;
  /** The `endCursor` of the page before. */
  readonly after?: string | null | undefined;
}

export interface DeliveryPage {
  readonly deliveries: readonly WebhookDelivery[];
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

type DeliveryDeps = { readonly database: Database };

/** The deliveries of a customer, the newest first. @throws VALIDATION_ERROR */
export async function listDeliveries({ database }: DeliveryDeps, query: DeliveryQuery): Promise<DeliveryPage> {
  const limit = query.first ?? DEFAULT_PAGE;
  if (isGiven(query.type)) assertType(query.type, query);
  if (limit < 1 || limit > MAX_PAGE)
    throw validationError([{ path: 'first', message: `must be between 1 and ${String(MAX_PAGE)}` }]);
  const rows = await database.webhookDelivery.findMany({
    where: { ...filterOf(query), ...(typeof query.after === 'string' ? isBehind(query.after) : {}) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    include: {
      event: { select: { type: true, subjectId: true, url: true, body: true } },
      endpoint: { select: { url: true } },
      log: { orderBy: { number: 'asc' } },
    },
  });
  const deliveries = rows
    .slice(0, limit)
    .map(({ event, endpoint, log, attempts, nextAt, state, ...row }): WebhookDelivery => ({
      id: row.id,
      eventId: row.eventId,
      endpointId: row.endpointId,
      parkedReason: row.parkedReason,
      createdAt: row.createdAt,
      finishedAt: row.finishedAt,
      state: stateSchema.parse(state),
      type: event.type,
      subjectId: event.subjectId,
      url: event.url ?? endpoint.url,
      body: event.body ?? '',
      attemptCount: attempts,
      nextAttemptAt: state === 'WAITING' ? nextAt : null,
      attempts: log,
    }));
  const last = deliveries.at(-1);
  return {
    deliveries,
    hasNextPage: rows.length > limit,
    endCursor: last === undefined ? null : pageCursor({ at: last.createdAt, id: last.id }),
  };
}

const TYPES: readonly string[] = [...WEBHOOK_EVENT_TYPES, TEST_EVENT_TYPE];

function assertType(type: string, { eventId, subjectId }: DeliveryFilter): void {
  if (!TYPES.includes(type)) throw validationError([{ path: 'type', message: `must be one of ${TYPES.join(', ')}` }]);
  // No index has the type: alone it would read all deliveries of the customer.
  if (!isGiven(eventId) && !isGiven(subjectId))
    throw validationError([{ path: 'type', message: 'requires eventId or subjectId' }]);
}

const stateSchema = z.enum(DELIVERY_STATES);

function isBehind(cursor: string) {
  const position = parsePageCursor(cursor);
  if (position === undefined) throw validationError([{ path: 'after', message: 'must be the endCursor of a page' }]);
  const { at, id } = position;
  return { OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: id } }] };
}

function filterOf({ customerId, endpointId, eventId, subjectId, state, type }: DeliveryQuery) {
  const event = { ...(isGiven(subjectId) ? { subjectId } : {}), ...(isGiven(type) ? { type } : {}) };
  return {
    customerId,
    ...(isGiven(endpointId) ? { endpointId } : {}),
    ...(isGiven(eventId) ? { eventId } : {}),
    ...(typeof state === 'string' ? { state } : {}),
    ...(Object.keys(event).length === 0 ? {} : { event }),
  };
}

const isGiven = (value: string | null | undefined): value is string => typeof value === 'string';

/**
 * Sends the event of a delivery again, as a new delivery with the same `webhook-id`, and returns the id of the delivery.
 * Replays have no order.
 *
 * @throws WEBHOOK_DELIVERY_NOT_FOUND; WEBHOOK_DELIVERY_NOT_REPLAYABLE while it waits, or when its endpoint is not enabled
 */
export async function replayDelivery(
  { database }: DeliveryDeps,
  { customerId, deliveryId, actor }: ByActor & { readonly customerId: CustomerId; readonly deliveryId: string },
): Promise<string> {
  const where = Prisma.sql`delivery.id = ${deliveryId}::uuid`;
  const id = await database.$transaction(async (tx) => {
    const [replayed] = await replay(tx, { customerId, where, limit: 1 });
    const change = { operation: 'replayWebhookDelivery', targetType: 'webhookDelivery', targetId: deliveryId } as const;
    if (replayed !== undefined) await recordAudit(tx, actor, change);
    return replayed;
  });
  if (id !== undefined) return id;
  const found = await database.webhookDelivery.findFirst({
    where: { id: deliveryId, customerId },
    select: { state: true, endpoint: { select: { state: true } } },
  });
  const isEnabled = found?.endpoint.state === 'ENABLED';
  // One that could be replayed and was not is being removed with its event.
  if (found === null || (isEnabled && ['PARKED', 'DELIVERED'].includes(found.state)))
    throw serviceError('WEBHOOK_DELIVERY_NOT_FOUND', { deliveryId });
  const reason = isEnabled ? 'it waits, or was already replayed' : 'its endpoint is not enabled';
  throw serviceError('WEBHOOK_DELIVERY_NOT_REPLAYABLE', { deliveryId, reason });
}

/** Deliveries that one call replays. */
export const MAX_REPLAYED = 1000;

/**
 * Sends the parked deliveries of an endpoint again, the oldest first, at most 1,000 in a call. Returns their number.
 *
 * @throws WEBHOOK_ENDPOINT_NOT_FOUND; WEBHOOK_ENDPOINT_NOT_ENABLED
 */
export async function replayParked(deps: DeliveryDeps, { actor, ...key }: EndpointKey & ByActor): Promise<number> {
  const { customerId, endpointId } = key;
  const { state } = await findEndpoint(deps, key);
  if (state !== 'ENABLED') throw serviceError('WEBHOOK_ENDPOINT_NOT_ENABLED', { endpointId });
  const where = Prisma.sql`delivery."endpointId" = ${endpointId}::uuid AND delivery.state = 'PARKED'`;
  return deps.database.$transaction(async (tx) => {
    const { length: deliveries } = await replay(tx, { customerId, where, limit: MAX_REPLAYED });
    const change = { operation: 'replayParkedWebhooks', ...endpointTarget(endpointId), detail: { deliveries } };
    if (deliveries > 0) await recordAudit(tx, actor, change);
    return deliveries;
  });
}

interface Replay {
  readonly customerId: CustomerId;
  readonly where: Prisma.Sql;
  readonly limit: number;
}

/**
 * A parked delivery is marked as replayed in the same statement, so that it is replayed once. The events that the retention
 * has locked are skipped: it waits for their deliveries, and the new delivery would wait for it.
 */
async function replay(tx: Transaction, { customerId, where, limit }: Replay): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH chosen AS MATERIALIZED (
      SELECT delivery.id, delivery."eventId", delivery."endpointId", delivery."createdAt"
        FROM "WebhookDelivery" AS delivery
        JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = delivery."endpointId" AND endpoint.state = 'ENABLED'
        JOIN "WebhookEvent" AS event ON event.id = delivery."eventId"
       WHERE delivery."customerId" = ${customerId}::uuid AND ${where} AND delivery.state IN ('PARKED', 'DELIVERED')
       ORDER BY delivery."createdAt", delivery.id LIMIT ${limit}
         FOR KEY SHARE OF event SKIP LOCKED FOR UPDATE OF delivery
    ), marked AS (
      UPDATE "WebhookDelivery" AS delivery SET state = 'REPLAYED' FROM chosen
       WHERE delivery.id = chosen.id AND delivery.state = 'PARKED'
    )
    INSERT INTO "WebhookDelivery" (id, "customerId", "eventId", "endpointId", "nextAt")
    SELECT gen_random_uuid(), ${customerId}::uuid, chosen."eventId", chosen."endpointId", now()
      FROM chosen ORDER BY chosen."createdAt", chosen.id
    RETURNING id`;
  return rows.map(({ id }) => id);
}
