import type { Hex } from 'viem';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';
import { ORDER_COLUMNS, type OrderStep, parseStockOrder, type StockOrder } from './stock-order';

/** How long a claimed order is reserved for one replica: longer than an attempt may take. */
const LEASE_SECONDS = 60;
/** Orders of one customer that are carried out at the same time: those of others do not wait for them. */
const MAX_OF_CUSTOMER = 4;

interface ClaimDeps {
  readonly database: Pick<Transaction, '$queryRaw'>;
}

const LEASED = Prisma.sql`
  "leasedUntil" = now() + make_interval(secs => ${LEASE_SECONDS}), "fencingToken" = own."fencingToken" + 1, "updatedAt" = now()`;
/** Condition on a row `own`: no replica has it. */
export const IS_FREE = Prisma.sql`(own."leasedUntil" IS NULL OR own."leasedUntil" <= now())`;

/**
 * Leases due orders, each to one replica: the longest due first, a bounded number of each customer with those that any replica
 * has. Orders without funds are polled by `pollUnfunded`.
 */
export async function claimOrders({ database }: ClaimDeps, limit: number): Promise<readonly StockOrder[]> {
  if (limit <= 0) return [];
  const isDue = Prisma.sql`own.step <> ALL (ARRAY['AWAITING_FUNDS', 'ENDED']) AND own."nextAt" <= now() AND ${IS_FREE}`;
  const rows = await database.$queryRaw<unknown[]>`
    WITH held AS (
      SELECT "customerId", count(*) AS count FROM "StockOrder" WHERE "leasedUntil" > now() GROUP BY "customerId"
    ), due AS (
      SELECT own."actionId", own."nextAt",
             coalesce(held.count, 0) + row_number() OVER (PARTITION BY own."customerId" ORDER BY own."nextAt") AS turn
        FROM "StockOrder" AS own LEFT JOIN held USING ("customerId")
       WHERE ${isDue}
    ), chosen AS (
      SELECT own."actionId" FROM "StockOrder" AS own JOIN due USING ("actionId")
       WHERE due.turn <= ${MAX_OF_CUSTOMER} AND ${isDue}
       ORDER BY due."nextAt" LIMIT ${limit} FOR UPDATE OF own SKIP LOCKED
    )
    UPDATE "StockOrder" AS own SET ${LEASED} FROM chosen WHERE own."actionId" = chosen."actionId"
    RETURNING ${ORDER_COLUMNS}`;
  return rows.map(parseStockOrder);
}

export interface OrderReference {
  readonly customerId: CustomerId;
  readonly actionId: string;
}

/** Steps in which an order can be cancelled. */
const CANCELLABLE: readonly OrderStep[] = ['AWAITING_FUNDS', 'PREPARING', 'OPEN', 'CANCELLING'];

/**
 * Leases a funded order with a limit price to the request that cancels it. `undefined` while another replica has it, and when
 * it cannot be cancelled any more.
 */
export async function claimForCancel(
  { database }: ClaimDeps,
  { customerId, actionId }: OrderReference,
): Promise<StockOrder | undefined> {
  const [row] = await database.$queryRaw<unknown[]>`
    UPDATE "StockOrder" AS own
       SET step = 'CANCELLING', "cancelCause" = coalesce(own."cancelCause", 'REQUEST'), ${LEASED}
     WHERE own."actionId" = ${actionId}::uuid AND own."customerId" = ${customerId}::uuid
       AND own.step = ANY(${[...CANCELLABLE]}::text[]) AND own."limitPriceCents" IS NOT NULL AND ${IS_FREE}
       AND EXISTS (SELECT 1 FROM "Action" AS action WHERE action.id = own."actionId" AND action.status = 'PENDING')
       AND EXISTS (SELECT 1 FROM "ActionStep" AS step
                    WHERE step."actionId" = own."actionId" AND step."stepIndex" = 0 AND step.status = 'CONFIRMED')
    RETURNING ${ORDER_COLUMNS}`;
  return row === undefined ? undefined : parseStockOrder(row);
}

/** What an attempt leaves behind. An absent value keeps the stored one. */
export interface OrderUpdate {
  readonly step?: OrderStep;
  /** Milliseconds until the next attempt. */
  readonly nextInMs: number;
  readonly failures?: number;
  readonly lastFailure?: string | null;
  /** True when the lease goes on: more follows in the same attempt. */
  readonly keepLease?: boolean;
  readonly orderUid?: Hex;
  /** First block in which a settlement may be: never set back. */
  readonly fromBlock?: bigint;
  readonly posting?: {
    readonly isPosted: boolean;
    readonly quoteId?: bigint | undefined;
    readonly error: string | null;
    readonly providerError: string | null;
    /** Refusals in a row that last. */
    readonly refusals: number;
  };
  /** Why the order is made invalid. The first cause stays. */
  readonly cancelCause?: 'REFUSAL';
  readonly fill?: { readonly sellAmount: bigint; readonly buyAmount: bigint; readonly txHash: Hex; readonly at: Date };
  readonly refundTxHash?: Hex;
  readonly isRefunded?: boolean;
  readonly coinSweeps?: number;
}

/** Stores the result of an attempt. False when the lease has ended: the result is then discarded. */
export async function finishOrderAttempt(
  tx: Pick<Transaction, '$executeRaw'>,
  { actionId, customerId, fencingToken }: StockOrder,
  update: OrderUpdate,
): Promise<boolean> {
  const { step, nextInMs, failures = 0, lastFailure, keepLease = false } = update;
  const stored = await tx.$executeRaw`
    UPDATE "StockOrder" AS own
       SET step = coalesce(${step ?? null}, own.step), failures = ${failures}, "lastFailure" = ${lastFailure ?? null},
           "leasedUntil" = CASE WHEN ${keepLease} THEN own."leasedUntil" END,
           "nextAt" = now() + make_interval(secs => ${nextInMs / 1000}::float8), "updatedAt" = now(),
           "orderUid" = coalesce(own."orderUid", ${update.orderUid ?? null}),
           "fromBlock" = greatest(own."fromBlock", ${update.fromBlock ?? null}::bigint),
           ${postingOf(update)}, ${fillOf(update)},
           "cancelCause" = coalesce(own."cancelCause", ${update.cancelCause ?? null}),
           "refundTxHash" = coalesce(${update.refundTxHash ?? null}, own."refundTxHash"), ${endOf(update)}
     WHERE own."actionId" = ${actionId}::uuid AND own."customerId" = ${customerId}::uuid
       AND own."fencingToken" = ${fencingToken} AND own."leasedUntil" > now()`;
  return stored === 1;
}

const endOf = ({ isRefunded = false, coinSweeps }: OrderUpdate): Prisma.Sql => Prisma.sql`
  "refundedAt" = CASE WHEN ${isRefunded} THEN now() ELSE own."refundedAt" END,
  "coinSweeps" = coalesce(${coinSweeps ?? null}::int, own."coinSweeps")`;

function postingOf({ posting }: OrderUpdate): Prisma.Sql {
  if (posting === undefined) return Prisma.sql`"lastPostError" = own."lastPostError"`;
  const { isPosted, quoteId, error, providerError, refusals } = posting;
  return Prisma.sql`
    refusals = ${refusals},
    "lastPostAttemptAt" = now(), "lastPostError" = ${error}, "providerError" = ${providerError},
    "postedAt" = CASE WHEN ${isPosted} THEN coalesce(own."postedAt", now()) ELSE own."postedAt" END,
    "quoteId" = coalesce(own."quoteId", ${quoteId ?? null}::bigint)`;
}

function fillOf({ fill }: OrderUpdate): Prisma.Sql {
  if (fill === undefined) return Prisma.sql`"executedAt" = own."executedAt"`;
  return Prisma.sql`
    "executedSellAmount" = ${fill.sellAmount.toString()}::numeric,
    "executedBuyAmount" = ${fill.buyAmount.toString()}::numeric,
    "executionTxHash" = ${fill.txHash}, "executedAt" = ${fill.at}`;
}

/** Queues a refund that was decided: a worker sends it next. False when it was queued before. */
export async function queueRefund(
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  { customerId, actionId }: OrderReference,
): Promise<boolean> {
  const queued = await database.$executeRaw`
    UPDATE "StockOrder" SET step = 'REFUNDING', "nextAt" = now(), "updatedAt" = now()
     WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid AND step = 'REFUND_DUE'`;
  return queued === 1;
}
