import type { Address } from 'viem';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';
import type { CollectedEvent } from './registry-contract';

/** Longer than an attempt, and than a request may take: a withdrawal that was built before an item was reserved is stored then. */
export const PAUSE_SECONDS = 60;

const claimedRow = z.object({
  id: z.string(),
  runId: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  strategyId: z.string(),
  period: z.bigint(),
  wallet: z.string().transform((wallet) => wallet as Address),
  state: z.enum(['PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN']),
  txHash: z.string().nullable(),
  attempts: z.int(),
});

/** An item that one replica carries on for some time. */
export type ClaimedItem = z.infer<typeof claimedRow>;

/** Due items, each to one replica: one whose replica dies is due again. */
export async function claimItems(database: Database, limit: number): Promise<readonly ClaimedItem[]> {
  const rows = await database.$queryRaw<unknown[]>`
    UPDATE "CollectionItem" AS item
       SET attempts = item.attempts + 1, "nextAt" = now() + make_interval(secs => ${PAUSE_SECONDS})
      FROM "CollectionRun" AS run
     WHERE run.id = item."runId" AND item.id IN (
       SELECT id FROM "CollectionItem"
        WHERE state IN ('PLANNED', 'RESERVED', 'DISPATCHED', 'UNKNOWN') AND "nextAt" <= now()
        ORDER BY "nextAt" LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING item.id::text, item."runId"::text, item."customerId"::text, item."strategyId", run.period, item.wallet,
              item.state, item."txHash", item.attempts`;
  return rows.map((row) => claimedRow.parse(row));
}

/** What an attempt leaves behind. What is absent stays. */
export interface ItemUpdate {
  readonly state?: 'PLANNED' | 'RESERVED' | 'DISPATCHED' | 'UNKNOWN' | 'FAILED' | 'SKIPPED';
  readonly reason?: string | null;
  readonly txHash?: string;
  readonly sharesPlanned?: bigint;
  /** Seconds until the next attempt. */
  readonly nextInSeconds?: number;
}

/** Stores the result of an attempt, and what it means for the run. False when another replica was first. */
export async function updateItem(
  tx: Transaction,
  item: ClaimedItem,
  { state, reason, txHash, sharesPlanned, nextInSeconds }: ItemUpdate,
): Promise<boolean> {
  const hasEnded = state === 'FAILED' || state === 'SKIPPED';
  const { count } = await tx.collectionItem.updateMany({
    where: { id: item.id, customerId: item.customerId, state: item.state, attempts: item.attempts },
    data: {
      ...(state === undefined ? {} : { state }),
      ...(reason === undefined ? {} : { reason }),
      ...(txHash === undefined ? {} : { txHash }),
      ...(sharesPlanned === undefined ? {} : { sharesPlanned: sharesPlanned.toString() }),
      ...(nextInSeconds === undefined ? {} : { nextAt: new Date(Date.now() + nextInSeconds * 1000) }),
      ...(hasEnded ? { finishedAt: new Date() } : {}),
    },
  });
  if (count === 1) await updateRun(tx, item);
  return count === 1;
}

/** Stores what the chain finally shows to be collected: a withdrawal does not charge it again. */
export async function confirmItem(
  tx: Transaction,
  item: ClaimedItem,
  { event, blockNumber }: { readonly event: CollectedEvent; readonly blockNumber: bigint },
): Promise<boolean> {
  const { count } = await tx.collectionItem.updateMany({
    where: { id: item.id, customerId: item.customerId, state: { in: ['DISPATCHED', 'UNKNOWN'] } },
    data: {
      state: 'CONFIRMED',
      reason: null,
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
async function updateRun(tx: Transaction, { runId, customerId }: ClaimedItem): Promise<void> {
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
