import type { Transaction } from '../persistence/database';

/** Receivers of one customer for which deliveries may wait: its endpoints and the origins of the URLs of its quotes. */
export const MAX_BUSY_RECEIVERS = 60;

interface OriginEvent {
  readonly customerId: string;
  /** Null for an event to the endpoints of the customer. */
  readonly origin: string | null;
  readonly isOverLimit: boolean;
}

/**
 * Marks the events whose origin would be one too many of its customer. Callers invent these URLs: without a limit, receivers
 * that do not exist would wait for days, and slow the claims of all customers down.
 */
export async function limitOrigins<Event extends OriginEvent>(
  tx: Transaction,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const customers = new Set(events.flatMap(({ customerId, origin }) => (origin === null ? [] : [customerId])));
  const busy = new Map<string, ReadonlySet<string>>();
  for (const customerId of customers) busy.set(customerId, await busyReceivers(tx, customerId));
  return events.map((event) => {
    const { customerId, origin } = event;
    const known = busy.get(customerId);
    if (origin === null || known === undefined || known.has(origin)) return event;
    if (known.size >= MAX_BUSY_RECEIVERS) return { ...event, isOverLimit: true };
    busy.set(customerId, new Set([...known, origin]));
    return event;
  });
}

/** The origins, and the ids of endpoints, for which deliveries of a customer wait; read by jumps in an index. */
async function busyReceivers(tx: Transaction, customerId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.$queryRaw<{ receiver: string }[]>`
    WITH RECURSIVE busy AS (
      (SELECT "endpointId" AS id, 1 AS number FROM "WebhookDelivery"
        WHERE "customerId" = ${customerId}::uuid AND state = 'WAITING' ORDER BY "endpointId" LIMIT 1)
      UNION ALL
      SELECT (SELECT delivery."endpointId" FROM "WebhookDelivery" AS delivery
               WHERE delivery."customerId" = ${customerId}::uuid AND delivery.state = 'WAITING' AND delivery."endpointId" > busy.id
               ORDER BY delivery."endpointId" LIMIT 1), busy.number + 1
        FROM busy WHERE busy.id IS NOT NULL AND busy.number < ${2 * MAX_BUSY_RECEIVERS}
    )
    SELECT CASE endpoint.kind WHEN 'QUOTE' THEN endpoint.url ELSE endpoint.id::text END AS receiver
      FROM busy JOIN "WebhookEndpoint" AS endpoint ON endpoint.id = busy.id`;
  return new Set(rows.map(({ receiver }) => receiver));
}
