import type { Pool } from 'pg';
import { MAX_BACKLOG_COUNTED } from '../persistence/max-backlog-counted';
import { BUSY_ENDPOINTS, CUSTOMER_SHARE, IS_FIRST, MAX_IN_FLIGHT } from './busy-endpoints';

/** Deliveries in flight with which a customer has its whole share of a process. */
const MAX_OF_CUSTOMER = MAX_IN_FLIGHT / CUSTOMER_SHARE;

/** What waits, in all of the deployment. */
export interface WebhookBacklog {
  /** Age of the oldest event or delivery that could be sent now, in seconds. */
  readonly oldestDueSeconds: number;
  /** Deliveries that need a replay, at most 20,000. */
  readonly parked: number;
  /** Events without a body, because of an error in this service, at most 20,000. */
  readonly failed: number;
}

/** Reads the backlog. Receivers that fail or are slow do not add to its age. */
export async function readWebhookBacklog(pool: Pick<Pool, 'query'>): Promise<WebhookBacklog | undefined> {
  const { text, values } = BUSY_ENDPOINTS;
  const statement = `
    WITH RECURSIVE ${text}, due AS (
      SELECT (SELECT delivery."nextAt" FROM "WebhookDelivery" AS delivery
               WHERE delivery."endpointId" = shared.id AND delivery.state = 'WAITING' AND ${IS_FIRST.text}
               ORDER BY delivery."nextAt" LIMIT 1) AS at
        FROM (SELECT open.*, sum(open."inFlight") OVER (PARTITION BY open."customerId") AS "ofCustomer" FROM open) AS shared
       WHERE shared.slots > 0 AND shared.openings = 0 AND shared."ofCustomer" < ${String(MAX_OF_CUSTOMER)}
      UNION ALL
      SELECT min(event."dueAt") FROM "WebhookEvent" AS event WHERE event."preparedAt" IS NULL
    )
    SELECT coalesce(greatest(extract(epoch FROM now() - min(due.at)), 0), 0)::float8 AS "oldestDueSeconds",
           (SELECT count(*)::int FROM (SELECT 1 FROM "WebhookDelivery" WHERE state = 'PARKED' LIMIT ${String(MAX_BACKLOG_COUNTED)}) AS counted)
             AS parked,
           (SELECT count(*)::int FROM (SELECT 1 FROM "WebhookEvent" WHERE failure IS NOT NULL LIMIT ${String(MAX_BACKLOG_COUNTED)}) AS counted)
             AS failed
      FROM due`;
  const { rows } = await pool.query<WebhookBacklog>(statement, values);
  const [row] = rows;
  return row && { oldestDueSeconds: Math.round(row.oldestDueSeconds), parked: row.parked, failed: row.failed };
}

/** Deliveries that wait for an attempt, those of failing receivers included; at most 20,000. */
export async function readWaitingWebhooks(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM (SELECT 1 FROM "WebhookDelivery" WHERE state = 'WAITING' LIMIT ${String(MAX_BACKLOG_COUNTED)}) AS counted`,
  );
  return rows[0]?.count ?? 0;
}
