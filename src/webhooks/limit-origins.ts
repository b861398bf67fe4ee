import { Prisma } from '../persistence/client/client';
import type { Transaction } from '../persistence/database';

/** Receivers of one customer that have rejected what still waits for them. With more of them no further origin is taken. */
export const MAX_FAILING_RECEIVERS = 60;
/** Receivers of one customer for which deliveries may wait: its endpoints and the origins of the URLs of its quotes. */
export const MAX_WAITING_RECEIVERS = 600;

interface OriginEvent {
  readonly customerId: string;
  /** Null for an event to the endpoints of the customer. */
  readonly origin: string | null;
  readonly isOverLimit: boolean;
}

/**
 * Marks the events whose origin would be one too many of its customer. Callers invent these URLs: without a limit, receivers
 * that do not exist would wait for days, and slow the claims of all customers down. Receivers that were not tried yet, as
 * after a pause of the workers, count only against the higher limit.
 */
export async function limitOrigins<Event extends OriginEvent>(
  tx: Transaction,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const customers = new Set(events.flatMap(({ customerId, origin }) => (origin === null ? [] : [customerId])));
  const waiting = new Map<string, WaitingReceivers>();
  for (const customerId of customers) waiting.set(customerId, await waitingReceivers(tx, customerId));
  return events.map((event) => {
    const { customerId, origin } = event;
    const known = waiting.get(customerId);
    if (origin === null || known === undefined || known.receivers.has(origin)) return event;
    if (known.failing >= MAX_FAILING_RECEIVERS || known.receivers.size >= MAX_WAITING_RECEIVERS)
      return { ...event, isOverLimit: true };
    known.receivers.add(origin);
    return event;
  });
}

interface WaitingReceivers {
  /** The origins, and the ids of endpoints, for which deliveries of a customer wait. */
  readonly receivers: Set<string>;
  /** Number of those that have rejected one of these deliveries. */
  readonly failing: number;
}

/** Read by jumps in two indexes. */
async function waitingReceivers(tx: Transaction, customerId: string): Promise<WaitingReceivers> {
  const rows = await tx.$queryRaw<{ receiver: string; isFailing: boolean }[]>`
    WITH RECURSIVE ${endpointIds('busy', { customerId, maximum: 2 * MAX_WAITING_RECEIVERS, condition: Prisma.empty })},
      ${endpointIds('failing', {
        customerId,
        maximum: 2 * MAX_FAILING_RECEIVERS,
        condition: Prisma.sql`AND delivery.attempts > 0`,
      })}
    SELECT CASE endpoint.kind WHEN 'QUOTE' THEN endpoint.url ELSE endpoint.id::text END AS receiver,
           failing.id IS NOT NULL AS "isFailing"
      FROM busy JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = busy.id LEFT JOIN failing ON failing.id = busy.id`;
  return {
    receivers: new Set(rows.map(({ receiver }) => receiver)),
    failing: rows.filter(({ isFailing }) => isFailing).length,
  };
}

interface EndpointIds {
  readonly customerId: string;
  readonly maximum: number;
  readonly condition: Prisma.Sql;
}

/** A recursive table expression with the endpoints for which deliveries of a customer wait, at one jump for each. */
function endpointIds(name: 'busy' | 'failing', { customerId, maximum, condition }: EndpointIds): Prisma.Sql {
  const table = Prisma.raw(name);
  const next = Prisma.sql`
    SELECT delivery."endpointId" FROM "WebhookDelivery" AS delivery
     WHERE delivery."customerId" = ${customerId}::uuid AND delivery.state = 'WAITING' ${condition}`;
  return Prisma.sql`
    ${table} AS (
      SELECT first.id, 1 AS number FROM (SELECT (${next} ORDER BY delivery."endpointId" LIMIT 1) AS id) AS first
      UNION ALL
      SELECT (${next} AND delivery."endpointId" > ${table}.id ORDER BY delivery."endpointId" LIMIT 1), ${table}.number + 1
        FROM ${table} WHERE ${table}.id IS NOT NULL AND ${table}.number < ${maximum}
    )`;
}
