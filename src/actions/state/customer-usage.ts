import { type CustomerLimits, customerLimitError } from '../../auth/customer-limits';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import { customerLimitSql } from '../../persistence/customer-limit';
import type { Database, Transaction } from '../../persistence/database';
import type { OpenResource } from '../../transactions/action-plan';

/** The use of one resource by one customer. */
export interface Usage {
  readonly customerId: CustomerId;
  readonly resource: OpenResource;
  /** Limits of the deployment, for customers without their own. */
  readonly limits: Pick<CustomerLimits, OpenResource>;
}

/** A customer at its limit is counted again at this interval. */
const RECOUNT_SECONDS = 5;

/** Rows that count, by indexes of the open rows alone. */
const OPEN_ROWS: Readonly<Record<OpenResource, (customerId: CustomerId) => Prisma.Sql>> = {
  openActions: (id) => openActions(id, { isDraft: false }),
  openDrafts: (id) => openActions(id, { isDraft: true }),
  openDeliveries: (id) => Prisma.sql`
    SELECT 1 FROM "Delivery" AS delivery JOIN "Action" AS action ON action.id = delivery."actionId"
     WHERE delivery."customerId" = ${id}::uuid AND delivery."nextPollAt" IS NOT NULL AND NOT action."isDraft"`,
};

const openActions = (id: CustomerId, { isDraft }: { readonly isDraft: boolean }): Prisma.Sql => Prisma.sql`
  SELECT 1 FROM "Action"
   WHERE "customerId" = ${id}::uuid AND "isDraft" = ${isDraft} AND status IN ('INITIAL', 'PENDING')`;

const maximumOf = ({ customerId, resource, limits }: Usage): Prisma.Sql =>
  customerLimitSql(customerId, resource, { ofDeployment: limits[resource] });

/**
 * Counts one more open row of a customer, at the end of the transaction that creates it. The lock of the counter lets one
 * transaction of a customer decide at a time, so that concurrent requests do not exceed the limit.
 *
 * The counter is an upper bound: rows that end are not subtracted. At the limit the open rows are counted.
 *
 * @throws RATE_LIMIT_EXCEEDED, which rolls the creation back
 */
export async function takeUsage(tx: Transaction, usage: Usage): Promise<void> {
  const { customerId, resource } = usage;
  const taken = await tx.$executeRaw`
    UPDATE "CustomerUsage" SET used = used + 1
     WHERE "customerId" = ${customerId}::uuid AND resource = ${resource} AND "countedAt" IS NOT NULL
       AND used < ${maximumOf(usage)}`;
  if (taken === 1) return;
  const counter = await lockCounter(tx, usage);
  // The new row is among those that are counted.
  const used = counter.isDue ? await countOpen(tx, usage, counter.maximum + 1) : counter.used + 1;
  if (used > counter.maximum) throw customerLimitError(resource, counter.maximum);
  await saveCounter(tx, usage, { used, counted: counter.isDue });
}

/**
 * Refuses a request of a customer at its limit before it causes work. Concurrent requests may pass together; `takeUsage`
 * decides.
 *
 * @throws RATE_LIMIT_EXCEEDED
 */
export async function assertUsage(database: Pick<Database, '$queryRaw' | '$transaction'>, usage: Usage): Promise<void> {
  const { customerId, resource } = usage;
  const [reached] = await database.$queryRaw<unknown[]>`
    SELECT 1 FROM "CustomerUsage"
     WHERE "customerId" = ${customerId}::uuid AND resource = ${resource} AND used >= ${maximumOf(usage)}`;
  if (reached === undefined) return;
  const { used, maximum } = await database.$transaction((tx) => recount(tx, usage));
  if (used >= maximum) throw customerLimitError(resource, maximum);
}

interface Counter {
  readonly used: number;
  readonly maximum: number;
  /** True when the rows have to be counted: never before, or at the limit. */
  readonly isDue: boolean;
}

async function lockCounter(tx: Transaction, usage: Usage): Promise<Counter> {
  const { customerId, resource } = usage;
  await tx.$executeRaw`
    INSERT INTO "CustomerUsage" ("customerId", resource, used) VALUES (${customerId}::uuid, ${resource}, 0)
    ON CONFLICT DO NOTHING`;
  const [counter] = await tx.$queryRaw<[Counter]>`
    WITH held AS (
      SELECT used, "countedAt", ${maximumOf(usage)} AS maximum FROM "CustomerUsage"
       WHERE "customerId" = ${customerId}::uuid AND resource = ${resource} FOR UPDATE
    )
    SELECT used, maximum,
           "countedAt" IS NULL OR (used >= maximum
             AND "countedAt" < clock_timestamp() - make_interval(secs => ${RECOUNT_SECONDS})) AS "isDue"
      FROM held`;
  return counter;
}

async function recount(tx: Transaction, usage: Usage): Promise<Pick<Counter, 'used' | 'maximum'>> {
  const { used, maximum, isDue } = await lockCounter(tx, usage);
  if (!isDue) return { used, maximum };
  const counted = await countOpen(tx, usage, maximum);
  await saveCounter(tx, usage, { used: counted, counted: true });
  return { used: counted, maximum };
}

/** The number of open rows, at most `limit`. */
async function countOpen(tx: Transaction, { customerId, resource }: Usage, limit: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (${OPEN_ROWS[resource](customerId)} LIMIT ${limit}) AS open`;
  return row.count;
}

async function saveCounter(
  tx: Transaction,
  { customerId, resource }: Usage,
  { used, counted }: { readonly used: number; readonly counted: boolean },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE "CustomerUsage"
       SET used = ${used}, "countedAt" = CASE WHEN ${counted} THEN clock_timestamp() ELSE "countedAt" END
     WHERE "customerId" = ${customerId}::uuid AND resource = ${resource}`;
}
