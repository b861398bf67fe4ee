import type { Address } from 'viem';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import { describeFailure } from '../../errors/describe-failure';
import type { Database } from '../../persistence/database';
import type { Strategies } from '../catalog/strategies';
import { type CollectionRegistry, isSameEntry, type MinedState, type RegistryPlace } from './collection-registry';

export interface CollectionDeps {
  readonly database: Database;
  readonly registry: CollectionRegistry;
  readonly strategies: Pick<Strategies, 'get' | 'ready'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Longer than an attempt. A transaction that is pending is looked up again after it. */
const PAUSE_SECONDS = 20;
const CONCURRENT = 4;
/** About a day of attempts that could not be sent. */
const MAX_ATTEMPTS = 1500;

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

/** Sends the stored changes of entries, and follows those that were sent. Returns the number of attempts. */
export async function advanceWrites(deps: CollectionDeps, signal: AbortSignal): Promise<number> {
  const rows = await deps.database.$queryRaw<unknown[]>`
    UPDATE "RegistryWrite" AS write
       SET attempts = attempts + 1, "nextAt" = now() + make_interval(secs => ${PAUSE_SECONDS})
     WHERE id IN (
       SELECT id FROM "RegistryWrite" WHERE state IN ('PLANNED', 'DISPATCHED') AND "nextAt" <= now()
        ORDER BY "nextAt" LIMIT ${CONCURRENT} FOR UPDATE SKIP LOCKED)
    RETURNING id::text, "customerId"::text, "strategyId", "expectedVersion", vault, "performanceCollector", "markupRecipient",
              "performanceBps", "markupBps", "formerState", "targetState", attempts`;
  const claimed = rows.map((row) => claimedRow.parse(row));
  await Promise.all(claimed.map((write) => advanceOne(deps, write, signal)));
  return claimed.length;
}

/** A failure concerns this entry only. */
async function advanceOne(deps: CollectionDeps, write: ClaimedWrite, signal: AbortSignal): Promise<void> {
  const { customerId, strategyId } = write;
  try {
    await sendOne(deps, write, signal);
  } catch (error) {
    deps.log.warn(
      { customerId, strategyId, cause: describeFailure(error) },
      'the entry of a collection could not be changed yet',
    );
    await note(deps, write, 'The chain or the wallet of the service is unavailable');
  }
}

async function sendOne(deps: CollectionDeps, write: ClaimedWrite, signal: AbortSignal): Promise<void> {
  const place = placeOf(deps, write);
  const entry = entryOf(write);
  const onChain = await deps.registry.readEntry(place);
  const wasSent = onChain.version === write.expectedVersion + 1n && isSameEntry(onChain, entry);
  if (onChain.version !== write.expectedVersion && !wasSent) return fail(deps, write, 'The registry has another entry');
  const sent = { entry, expectedVersion: write.expectedVersion };
  const sending = await deps.registry.sendEntry(place, { id: write.id, sent, signal });
  if (sending === 'refused') return fail(deps, write, 'The registry refused the entry');
  if (typeof sending === 'string') return note(deps, write, `Nothing was sent: ${sending}`);
  const { txHash } = sending;
  await deps.database.registryWrite.updateMany({
    where: { id: write.id, customerId: write.customerId, state: { in: [...OPEN] } },
    data: { state: 'DISPATCHED', txHash, reason: null },
  });
  const mined: MinedState = await deps.registry.readTransaction(place, txHash);
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
export function placeOf(
  { strategies, registry }: Pick<CollectionDeps, 'strategies' | 'registry'>,
  { customerId, strategyId }: { readonly customerId: CustomerId; readonly strategyId: string },
): RegistryPlace {
  const { chain } = strategies.get(strategyId);
  return { chain, registry: registry.addressOn(chain), customerId, strategyId };
}

/** Entry and state change together. Of no effect when another replica was first. */
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

/** The collection is as it was before. */
async function fail({ database, log }: CollectionDeps, write: ClaimedWrite, reason: string): Promise<void> {
  const { id, customerId, strategyId, formerState } = write;
  log.warn({ customerId, strategyId, reason }, 'the entry of a collection was not changed');
  await database.$transaction(async (tx) => {
    const { count } = await tx.registryWrite.updateMany({
      where: { id, customerId, state: { in: [...OPEN] } },
      data: { state: 'FAILED', reason, finishedAt: new Date() },
    });
    if (count === 0) return;
    await tx.recurringCollection.update({
      where: { customerId_strategyId: { customerId, strategyId } },
      data: { state: formerState, updatedAt: new Date() },
    });
  });
}

/** The next attempt goes on. What was never sent for a day fails. */
async function note(deps: CollectionDeps, write: ClaimedWrite, reason: string): Promise<void> {
  const { id, customerId, attempts } = write;
  const { count } = await deps.database.registryWrite.updateMany({
    where: { id, customerId, state: { in: [...OPEN] } },
    data: { reason },
  });
  const row = count === 0 ? null : await deps.database.registryWrite.findUnique({ where: { id, customerId } });
  if (row?.state === 'PLANNED' && attempts >= MAX_ATTEMPTS && reason.startsWith('Nothing was sent'))
    await fail(deps, write, reason);
}
