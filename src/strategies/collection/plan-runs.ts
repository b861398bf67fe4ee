import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { describeFailure } from '../../errors/describe-failure';
import type { RecurringCollection } from '../../persistence/client/client';
import { uuidV7 } from '../../persistence/uuid-v7';
import { feesOfRow } from '../fees/customer-fees';
import { type CollectionDeps, registryPlace } from './advance-registry-writes';
import { isSameEntry } from './collection-registry';
import {
  assertCollectable,
  assertMayRotate,
  assertSynchronized,
  confirmedEntry,
  entryOfFees,
  lockCollection,
  requestWrite,
} from './request-registry-write';

/** Collections that are checked in one run of the job. */
const MAX_PLANNED = 20;
/** Time until a collection is checked again after its run could not be planned. */
const RETRY_SECONDS = 600;

const dueRow = z.object({ customerId: z.string().transform((id) => id as CustomerId), strategyId: z.string() });

/**
 * Plans the runs that are due, each once over all replicas. Without an entry on chain that agrees with the fees of the customer
 * nothing is planned: changed fees are written to the chain first. Returns the number of planned runs.
 */
export async function planRuns(deps: CollectionDeps): Promise<number> {
  const rows = await deps.database.$queryRaw<unknown[]>`
    SELECT collection."customerId"::text, collection."strategyId" FROM "RecurringCollection" AS collection
     WHERE collection.state = 'LIVE' AND collection."nextRunAt" <= now() AND NOT EXISTS (
       SELECT 1 FROM "CollectionRun" AS run
        WHERE run."customerId" = collection."customerId" AND run."strategyId" = collection."strategyId"
          AND run.state IN ('PLANNED', 'DISPATCHED', 'UNKNOWN'))
     ORDER BY collection."nextRunAt" LIMIT ${MAX_PLANNED}`;
  let planned = 0;
  for (const due of rows.map((row) => dueRow.parse(row))) {
    try {
      if (await planOne(deps, due)) planned += 1;
    } catch (error) {
      deps.log.warn({ ...due, cause: describeFailure(error) }, 'a collection of fees could not be planned yet');
      await deps.database.$executeRaw`
        UPDATE "RecurringCollection" SET "nextRunAt" = now() + make_interval(secs => ${RETRY_SECONDS})
         WHERE "customerId" = ${due.customerId}::uuid AND "strategyId" = ${due.strategyId} AND "nextRunAt" <= now()`;
    }
  }
  return planned;
}

type Key = z.infer<typeof dueRow>;

/** False when another replica was first, or the entry on chain is changed before. */
async function planOne(deps: CollectionDeps, key: Key): Promise<boolean> {
  const onChain = await deps.registry.readEntry(registryPlace(deps, key));
  return deps.database.$transaction(async (tx) => {
    const row = await lockCollection(tx, key);
    if (row?.state !== 'LIVE' || row.nextRunAt === null || row.nextRunAt > new Date()) return false;
    assertSynchronized(row, onChain);
    const own = await tx.customerStrategy.findUniqueOrThrow({ where: { customerId_strategyId: key } });
    const entry = entryOfFees(feesOfRow(own), confirmedEntry(row));
    if (!isSameEntry(entry, confirmedEntry(row))) {
      assertCollectable(entry);
      await assertMayRotate(tx, row, entry);
      await requestWrite(tx, row, { entry, targetState: 'LIVE' });
      return false;
    }
    return storeRun(tx, row, row.nextRunAt);
  });
}

/** The run with an item for each enrolled wallet. */
async function storeRun(
  tx: Parameters<typeof lockCollection>[0],
  { customerId, strategyId, intervalSeconds }: RecurringCollection,
  dueAt: Date,
): Promise<boolean> {
  const [id, key] = [uuidV7(), { customerId, strategyId }];
  const period = BigInt(Math.floor(dueAt.getTime() / 1000));
  const { count } = await tx.collectionRun.createMany({ data: { id, ...key, period }, skipDuplicates: true });
  await tx.$executeRaw`
    UPDATE "RecurringCollection"
       SET "nextRunAt" = greatest("nextRunAt" + make_interval(secs => ${intervalSeconds}), now() + interval '1 minute')
     WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId}`;
  if (count === 0) return false;
  const items = await tx.$executeRaw`
    INSERT INTO "CollectionItem" (id, "runId", "customerId", "strategyId", wallet)
    SELECT gen_random_uuid(), ${id}::uuid, "customerId", "strategyId", wallet FROM "CollectionEnrolment"
     WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId}
    ON CONFLICT DO NOTHING`;
  if (items === 0)
    await tx.collectionRun.update({ where: { id, customerId }, data: { state: 'CONFIRMED', finishedAt: new Date() } });
  return true;
}
