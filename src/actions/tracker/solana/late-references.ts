import { Prisma } from '../../../persistence/client/client';
import type { Database } from '../../../persistence/database';
import { CALL_WITH_ACTION } from '../open-calls';
import { type OpenReference, parseReferences, REFERENCE_COLUMNS, type ReferenceId } from './open-references';
import { COOLDOWN_DIVISOR } from './search-schedule';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

/** Late references that one pass searches for, in addition to those of live actions. */
const MAX_SEARCHES_PER_PASS = 25;
/** The cooldown of a late reference grows with its age, up to this. */
const MAX_COOLDOWN_SECONDS = 3600;

/**
 * The references of failed actions that are due, the longest waiting first; at most as many as one pass searches for. Those
 * in quarantine whose next attempt is not due are left out. One that cannot be read is put into quarantine.
 */
export async function lateReferences(
  deps: Pick<SolanaTrackerDeps, 'database' | 'log'>,
  chainId: number,
): Promise<readonly OpenReference[]> {
  const rows = await deps.database.$queryRaw<ReferenceId[]>`
    SELECT ${REFERENCE_COLUMNS} FROM ${CALL_WITH_ACTION}
     WHERE call."chainId" = ${chainId} AND call.open AND call."nextSearchAt" <= now()
       AND action.status = 'FAILED' AND step.status IN ('SKIPPED', 'PENDING', 'FAILED')
       AND NOT EXISTS (
         SELECT 1 FROM "Quarantine" AS kept
          WHERE kept."chainId" = ${chainId} AND kept.stage = 'search' AND kept."nextAt" > now()
            AND kept.item = call."actionId" || '/' || call."stepIndex" || '/' || call.target)
     ORDER BY call."nextSearchAt" LIMIT ${MAX_SEARCHES_PER_PASS}`;
  return parseReferences(deps, chainId, rows);
}

/**
 * Schedules the next searches for late references, after one that began at `startedAt` by the database's clock. The search
 * that follows the end of a watch is the last one.
 */
export async function scheduleNextSearches(
  database: Pick<Database, '$executeRaw'>,
  references: readonly OpenReference[],
  { chainId, startedAt }: { readonly chainId: number; readonly startedAt: Date },
): Promise<void> {
  if (references.length === 0) return;
  const actionIds = references.map(({ actionId }) => actionId);
  const targets = references.map(({ reference }) => reference);
  await database.$executeRaw`
    UPDATE "ActionCall" AS call
       SET "nextSearchAt" = CASE WHEN call."watchedUntil" >= ${startedAt}::timestamptz
                                 THEN now() + make_interval(secs => ${cooldownAt(startedAt)}) END
      FROM unnest(${actionIds}::uuid[], ${targets}::text[]) AS searched ("actionId", target)
     WHERE call."actionId" = searched."actionId" AND call."chainId" = ${chainId} AND call.target = searched.target`;
}

/** Seconds until the next search for the reference of the row `call`. */
const cooldownAt = (time: Date): Prisma.Sql => Prisma.sql`
  least(${MAX_COOLDOWN_SECONDS}::float8,
        extract(epoch FROM ${time}::timestamptz - call."createdAt")::float8 / ${COOLDOWN_DIVISOR}::float8)`;
