import type { Address } from 'viem';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';
import type { CollectedEvent } from './registry-contract';

/** Time for which a replica has a claimed item. Longer than an attempt. */
export const CLAIM_SECONDS = 60;

const claimedRow = z.object({
  id: z.string(),
  runId: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  strategyId: z.string(),
  chainId: z.bigint(),
  period: z.bigint(),
  wallet: z.string().transform((wallet) => wallet as Address),
  state: z.enum(['PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN']),
  txHash: z.string().nullable(),
  attempts: z.int(),
  isNextDue: z.boolean(),
});

/** An item that one replica has claimed until `nextAt`. */
export type ClaimedCollectionItem = z.infer<typeof claimedRow>;

/**
 * Claims due items, each for one replica. An item whose replica dies becomes due again. Customers take turns, so that the wallets
 * of one do not delay those of another. `isNextDue`: the next run is due, which collects what this one does not.
 */
export async function claimItems(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  limit: number,
): Promise<readonly ClaimedCollectionItem[]> {
  const isDue = Prisma.sql`item.state IN ('PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN') AND item."nextAt" <= now()`;
  const rows = await database.$queryRaw<unknown[]>`
    WITH due AS (
      SELECT item.id, item."nextAt",
             row_number() OVER (PARTITION BY item."customerId" ORDER BY item."nextAt", item.id) AS turn
        FROM "CollectionItem" AS item WHERE ${isDue}
    ), chosen AS (
      SELECT item.id FROM "CollectionItem" AS item JOIN due USING (id) WHERE ${isDue}
       ORDER BY due.turn, due."nextAt" LIMIT ${limit} FOR UPDATE OF item SKIP LOCKED
    )
    UPDATE "CollectionItem" AS item
       SET attempts = item.attempts + 1, "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
      FROM chosen, "CollectionRun" AS run, "RecurringCollection" AS collection
     WHERE item.id = chosen.id AND run.id = item."runId" AND collection."customerId" = item."customerId"
       AND collection."strategyId" = item."strategyId"
    RETURNING item.id::text, item."runId"::text, item."customerId"::text, item."strategyId", collection."chainId", run.period,
              item.wallet, item.state, item."txHash", item.attempts,
              coalesce(collection."nextRunAt" <= now(), false) AS "isNextDue"`;
  return rows.map((row) => claimedRow.parse(row));
}

/**
 * Keeps a claimed item for a further attempt. False when another replica has it by now: its transaction must not be sent from
 * here, since the other one may have given it up.
 */
export async function renewClaim(
  { database }: { readonly database: Pick<Database, '$executeRaw'> },
  { id, customerId, state, attempts }: ClaimedCollectionItem,
): Promise<boolean> {
  const renewed = await database.$executeRaw`
    UPDATE "CollectionItem" SET "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
     WHERE id = ${id}::uuid AND "customerId" = ${customerId}::uuid AND state = ${state} AND attempts = ${attempts}`;
  return renewed === 1;
}

/** Result of an attempt. Absent fields stay unchanged. */
export interface ItemUpdate {
  readonly state?: 'PLANNED' | 'RESERVED' | 'DISPATCHED' | 'UNKNOWN' | 'FAILED' | 'SKIPPED';
  readonly reason?: string | null;
  readonly txHash?: string;
  readonly planned?: { readonly shares: bigint; readonly bps: number };
  /** Seconds until the next attempt. */
  readonly nextInSeconds?: number;
}

/** Stores the result of an attempt, and what it means for the run. False when another replica was first. */
export async function updateItem(
  tx: Transaction,
  item: ClaimedCollectionItem,
  { state, reason, txHash, planned, nextInSeconds }: ItemUpdate,
): Promise<boolean> {
  const hasEnded = state === 'FAILED' || state === 'SKIPPED';
  const { count } = await tx.collectionItem.updateMany({
    where: { id: item.id, customerId: item.customerId, state: item.state, attempts: item.attempts },
    data: {
      ...(state === undefined ? {} : { state }),
      ...(reason === undefined ? {} : { reason }),
      ...(txHash === undefined ? {} : { txHash }),
      ...(planned === undefined ? {} : { sharesPlanned: planned.shares.toString(), chargedBps: planned.bps }),
      ...(nextInSeconds === undefined ? {} : { nextAt: new Date(Date.now() + nextInSeconds * 1000) }),
      ...(hasEnded ? { finishedAt: new Date() } : {}),
    },
  });
  if (count === 1) await updateRun(tx, item);
  return count === 1;
}

/** Stores the shares that a final transaction has collected, so that a withdrawal does not charge their profit again. */
export async function confirmItem(
  tx: Transaction,
  item: ClaimedCollectionItem,
  {
    event,
    blockNumber,
    txHash,
  }: { readonly event: CollectedEvent; readonly blockNumber: bigint; readonly txHash: string },
): Promise<boolean> {
  const { count } = await tx.collectionItem.updateMany({
    where: { id: item.id, customerId: item.customerId, state: { in: ['DISPATCHED', 'UNKNOWN'] } },
    data: {
      state: 'CONFIRMED',
      reason: null,
      txHash,
      performanceShares: event.performanceShares.toString(),
      markupShares: event.markupShares.toString(),
      markRay: event.markRay.toString(),
      priceRay: event.priceRay.toString(),
      blockNumber,
      finishedAt: new Date(),
    },
  });
  if (count === 1) await updateRun(tx, item);
  return count === 1;
}

/** The state of a run follows from its items: the lock lets the last two of them end one after the other. */
async function updateRun(tx: Transaction, { runId, customerId }: ClaimedCollectionItem): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM "CollectionRun" WHERE id = ${runId}::uuid AND "customerId" = ${customerId}::uuid FOR UPDATE`;
  await tx.$executeRaw`
    UPDATE "CollectionRun" AS run
       SET state = ${STATE_OF_RUN}, "finishedAt" = CASE WHEN items.open = 0 THEN now() END
      FROM (SELECT count(*) FILTER (WHERE state IN ('PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN')) AS open,
                   count(*) FILTER (WHERE state = 'UNKNOWN') AS unknown,
                   count(*) FILTER (WHERE state = 'DISPATCHED') AS dispatched,
                   count(*) FILTER (WHERE state IN ('CONFIRMED', 'SKIPPED')) AS done
              FROM "CollectionItem" WHERE "runId" = ${runId}::uuid) AS items
     WHERE run.id = ${runId}::uuid AND run."customerId" = ${customerId}::uuid`;
}

const STATE_OF_RUN = Prisma.sql`
  CASE WHEN items.unknown > 0 THEN 'UNKNOWN'
       WHEN items.dispatched > 0 THEN 'DISPATCHED'
       WHEN items.open > 0 THEN 'PLANNED'
       WHEN items.done > 0 THEN 'CONFIRMED'
       ELSE 'FAILED' END`;
