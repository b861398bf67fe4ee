import type { Address } from 'viem';
import { anySignal } from '../../async/any-signal';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { describeFailure } from '../../errors/describe-failure';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import type { Strategies } from '../catalog/strategies';
import { type CollectionRegistry, isSameEntry, type RegistryPlace } from './collection-registry';

export interface CollectionDeps {
  readonly database: Database;
  readonly registry: CollectionRegistry;
  readonly strategies: Pick<Strategies, 'get' | 'ready'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const ATTEMPT_MS = 15_000;
/** Time for which a replica has a claimed change. Longer than an attempt. A pending transaction is looked up again after it. */
const CLAIM_SECONDS = 20;
/** Pause after an attempt that sent nothing. */
const UNSENT_SECONDS = 120;
const CONCURRENT = 8;
/** About a day of attempts that could not be sent. */
const MAX_ATTEMPTS = 720;

const claimedRow = z.object({
  id: z.string(),
  customerId: z.string().transform((id) => id as CustomerId),
  strategyId: z.string(),
  expectedVersion: z.bigint(),
  vault: z.string().transform((address) => address as Address),
  performanceCollector: z.string().transform((address) => address as Address),
  markupRecipient: z.string().transform((address) => address as Address),
  performanceBps: z.int(),
  markupBps: z.int(),
  formerState: z.string(),
  targetState: z.string(),
  attempts: z.int(),
});
type ClaimedWrite = z.infer<typeof claimedRow>;

/** Sends the stored changes of entries, and follows those that were sent, until the time is over. Returns the number of attempts. */
export async function advanceWrites(deps: CollectionDeps, until: number, signal: AbortSignal): Promise<number> {
  let attempts = 0;
  while (Date.now() < until && !signal.aborted) {
    const claimed = await claim(deps.database);
    if (claimed.length === 0) break;
    await Promise.all(claimed.map((write) => advanceOne(deps, write, signal)));
    attempts += claimed.length;
  }
  return attempts;
}

/** Claims due changes, each for one replica. Customers take turns. */
async function claim(database: Database): Promise<readonly ClaimedWrite[]> {
  const isDue = Prisma.sql`write.state IN ('PLANNED', 'DISPATCHED') AND write."nextAt" <= now()`;
  const rows = await database.$queryRaw<unknown[]>`
    WITH due AS (
      SELECT write.id, write."nextAt",
             row_number() OVER (PARTITION BY write."customerId" ORDER BY write."nextAt", write.id) AS turn
        FROM "RegistryWrite" AS write WHERE ${isDue}
    ), chosen AS (
      SELECT write.id FROM "RegistryWrite" AS write JOIN due USING (id) WHERE ${isDue}
       ORDER BY due.turn, due."nextAt" LIMIT ${CONCURRENT} FOR UPDATE OF write SKIP LOCKED
    )
    UPDATE "RegistryWrite" AS write
       SET attempts = attempts + 1, "nextAt" = now() + make_interval(secs => ${CLAIM_SECONDS})
      FROM chosen WHERE write.id = chosen.id
    RETURNING write.id::text, "customerId"::text, "strategyId", "expectedVersion", vault, "performanceCollector", "markupRecipient",
              "performanceBps", "markupBps", "formerState", "targetState", attempts`;
  return rows.map((row) => claimedRow.parse(row));
}

/** A failure concerns this entry only. */
async function advanceOne(deps: CollectionDeps, write: ClaimedWrite, signal: AbortSignal): Promise<void> {
  const { customerId, strategyId } = write;
  try {
    await sendOne(deps, write, anySignal(signal, AbortSignal.timeout(ATTEMPT_MS)));
  } catch (error) {
    deps.log.warn(
      { customerId, strategyId, cause: describeFailure(error) },
      'the entry of a collection could not be changed yet',
    );
    await note(deps, write, 'The chain or the wallet of the service is unavailable');
  }
}

async function sendOne(deps: CollectionDeps, write: ClaimedWrite, signal: AbortSignal): Promise<void> {
  const place = registryPlace(deps, write);
  const entry = entryOf(write);
  const onChain = await deps.registry.readEntry(place);
  const wasSent = onChain.version === write.expectedVersion + 1n && isSameEntry(onChain, entry);
  if (onChain.version !== write.expectedVersion && !wasSent) return fail(deps, write, 'The registry has another entry');
  const sent = { entry, expectedVersion: write.expectedVersion };
  const sending = await deps.registry.sendEntry(place, { id: write.id, sent, signal });
  // The registry has the entry, whatever has happened to its transaction.
  if (sending === 'refused' && wasSent) return confirm(deps, write);
  if (sending === 'refused') return fail(deps, write, 'The registry refused the entry');
  if (typeof sending === 'string') return noteUnsent(deps, write, `Nothing was sent: ${sending}`);
  const { txHash } = sending;
  await deps.database.registryWrite.updateMany({
    where: { id: write.id, customerId: write.customerId, state: { in: [...OPEN] } },
    data: { state: 'DISPATCHED', txHash, reason: null },
  });
  const mined = await deps.registry.readTransaction(place, txHash);
  if (mined.kind === 'executed' && mined.isFinal) await confirm(deps, write);
}

const OPEN = ['PLANNED', 'DISPATCHED'] as const;

const entryOf = ({
  vault,
  performanceCollector,
  markupRecipient,
  performanceBps,
  markupBps,
  targetState,
}: ClaimedWrite) => ({
  vault,
  performanceCollector,
  markupRecipient,
  performanceBps,
  markupBps,
  live: targetState === 'LIVE',
});

/** Where the entry of a collection is. @throws STRATEGY_NOT_FOUND, RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED */
export function registryPlace(
  { strategies, registry }: Pick<CollectionDeps, 'strategies' | 'registry'>,
  { customerId, strategyId }: { readonly customerId: CustomerId; readonly strategyId: string },
): RegistryPlace {
  const { chain } = strategies.get(strategyId);
  return { chain, registry: registry.addressOn(chain), customerId, strategyId };
}

/** Stores the confirmed entry and the state in one transaction. Does nothing when another replica was first. */
async function confirm({ database, log }: CollectionDeps, write: ClaimedWrite): Promise<void> {
  const { id, customerId, strategyId, targetState, expectedVersion } = write;
  const { live, ...entry } = entryOf(write);
  const isConfirmed = await database.$transaction(async (tx) => {
    const { count } = await tx.registryWrite.updateMany({
      where: { id, customerId, state: { in: [...OPEN] } },
      data: { state: 'CONFIRMED', reason: null, finishedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.recurringCollection.update({
      where: { customerId_strategyId: { customerId, strategyId } },
      data: {
        state: targetState,
        ...entry,
        isLive: live,
        registryVersion: expectedVersion + 1n,
        updatedAt: new Date(),
      },
    });
    await tx.$executeRaw`
      UPDATE "RecurringCollection" SET "nextRunAt" = now() + make_interval(secs => "intervalSeconds")
       WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId} AND state = 'LIVE' AND "nextRunAt" IS NULL`;
    return true;
  });
  if (isConfirmed) log.info({ customerId, strategyId, state: targetState }, 'the entry of a collection is confirmed');
}

/** Restores the former state of the collection. Does nothing when another replica has claimed the change: it may have sent it. */
async function fail({ database, log }: CollectionDeps, write: ClaimedWrite, reason: string): Promise<void> {
  const { id, customerId, strategyId, formerState, attempts } = write;
  const isFailed = await database.$transaction(async (tx) => {
    const { count } = await tx.registryWrite.updateMany({
      where: { id, customerId, state: { in: [...OPEN] }, attempts },
      data: { state: 'FAILED', reason, finishedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.recurringCollection.update({
      where: { customerId_strategyId: { customerId, strategyId } },
      data: { state: formerState, updatedAt: new Date() },
    });
    return true;
  });
  if (isFailed) log.warn({ customerId, strategyId, reason }, 'the entry of a collection was not changed');
}

/** Stores the reason of a failed attempt. */
async function note({ database }: CollectionDeps, { id, customerId }: ClaimedWrite, reason: string): Promise<void> {
  await database.registryWrite.updateMany({
    where: { id, customerId, state: { in: [...OPEN] } },
    data: { reason },
  });
}

/** A change that was not sent for a day fails. */
async function noteUnsent(deps: CollectionDeps, write: ClaimedWrite, reason: string): Promise<void> {
  const { id, customerId, attempts } = write;
  if (attempts >= MAX_ATTEMPTS) return fail(deps, write, reason);
  await deps.database.registryWrite.updateMany({
    where: { id, customerId, state: 'PLANNED', attempts },
    data: { reason, nextAt: new Date(Date.now() + UNSENT_SECONDS * 1000) },
  });
}
