import { type Address, zeroAddress } from 'viem';
import { isSameAddress } from '../../chains/addresses';
import { serviceError } from '../../errors/service-error';
import { enqueue } from '../../jobs/enqueue';
import type { RecurringCollection } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import { uuidV7 } from '../../persistence/uuid-v7';
import type { StrategyFees } from '../strategy-fees';
import { isSameEntry } from './collection-registry';
import { type RequestedState, UNRESOLVED_RUNS } from './collection-states';
import type { RegistryEntry } from './registry-contract';

/** The entry that fees of a customer need on chain. */
export const entryOfFees = (
  fees: Omit<StrategyFees, 'marks'>,
  { vault, live }: Pick<RegistryEntry, 'vault' | 'live'>,
): Omit<RegistryEntry, 'version'> => ({
  vault,
  performanceCollector: (fees.collector ?? zeroAddress) as Address,
  markupRecipient: (fees.markupRecipient ?? zeroAddress) as Address,
  performanceBps: fees.performanceBps,
  markupBps: fees.markupBps,
  live,
});

/** The entry that the chain has confirmed. */
export const confirmedEntry = (row: RecurringCollection): RegistryEntry => ({
  vault: (row.vault ?? zeroAddress) as Address,
  performanceCollector: (row.performanceCollector ?? zeroAddress) as Address,
  markupRecipient: (row.markupRecipient ?? zeroAddress) as Address,
  performanceBps: row.performanceBps,
  markupBps: row.markupBps,
  live: row.isLive,
  version: row.registryVersion,
});

/** @throws RECURRING_REGISTRY_MISMATCH while a change is open, or when the chain has another entry than the last confirmed one */
export function assertSynchronized(row: RecurringCollection, onChain: RegistryEntry): void {
  const confirmed = confirmedEntry(row);
  if (row.state !== 'PENDING' && confirmed.version === onChain.version && isSameEntry(confirmed, onChain)) return;
  throw serviceError('RECURRING_REGISTRY_MISMATCH');
}

/**
 * Refuses an entry that could not be collected.
 *
 * @throws RECURRING_COLLECTION_REQUIRES_FEE, RECURRING_MARKUP_RECIPIENT_REQUIRED, MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR
 */
export function assertCollectable(entry: Omit<RegistryEntry, 'version'>): void {
  const { performanceBps, markupBps, performanceCollector, markupRecipient } = entry;
  if (isSameAddress(markupRecipient, performanceCollector) && !isSameAddress(markupRecipient, zeroAddress))
    throw serviceError('MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR');
  if (performanceBps + markupBps === 0) throw serviceError('RECURRING_COLLECTION_REQUIRES_FEE');
  if (markupBps > 0 && isSameAddress(markupRecipient, zeroAddress))
    throw serviceError('RECURRING_MARKUP_RECIPIENT_REQUIRED');
}

/** @throws RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH when recipients change while a collection may be executed */
export async function assertMayRotate(
  tx: Pick<Transaction, 'collectionRun'>,
  row: RecurringCollection,
  entry: Omit<RegistryEntry, 'version'>,
): Promise<void> {
  const confirmed = confirmedEntry(row);
  const isRotation =
    !isSameAddress(confirmed.performanceCollector, entry.performanceCollector) ||
    !isSameAddress(confirmed.markupRecipient, entry.markupRecipient);
  if (isRotation) await assertNoDispatch(tx, row);
}

/** @throws RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH */
async function assertNoDispatch(tx: Pick<Transaction, 'collectionRun'>, { customerId, strategyId }: CollectionKey) {
  const unresolved = await tx.collectionRun.count({
    where: { customerId, strategyId, state: { in: [...UNRESOLVED_RUNS] } },
  });
  if (unresolved > 0) throw serviceError('RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH');
}

/** Lets recipients change before the registry has them. No collection is dispatched until the transaction ends. */
export async function lockRecipients(tx: Transaction, key: CollectionKey): Promise<void> {
  await lockCollection(tx, key);
  await assertNoDispatch(tx, key);
}

interface CollectionKey {
  readonly customerId: string;
  readonly strategyId: string;
}

/** Locks a collection: its entry changes, or its items are dispatched, one after the other. */
export async function lockCollection(
  tx: Transaction,
  { customerId, strategyId }: CollectionKey,
): Promise<RecurringCollection | undefined> {
  await tx.$queryRaw`
    SELECT 1 FROM "RecurringCollection"
     WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId} FOR UPDATE`;
  const where = { customerId_strategyId: { customerId, strategyId } };
  return (await tx.recurringCollection.findUnique({ where })) ?? undefined;
}

/** Stores a change of an entry. A worker sends it; until it is confirmed the collection is `PENDING`. */
export async function requestWrite(
  tx: Transaction,
  row: RecurringCollection,
  { entry, targetState }: { readonly entry: Omit<RegistryEntry, 'version'>; readonly targetState: RequestedState },
): Promise<void> {
  const { customerId, strategyId, registryVersion: expectedVersion, state: formerState } = row;
  const { vault, performanceCollector, markupRecipient, performanceBps, markupBps } = entry;
  const content = { vault, performanceCollector, markupRecipient, performanceBps, markupBps };
  const key = { customerId, strategyId };
  await tx.registryWrite.create({
    data: { id: uuidV7(), ...key, ...content, expectedVersion, formerState, targetState },
  });
  await tx.recurringCollection.update({
    where: { customerId_strategyId: key },
    data: { state: 'PENDING', updatedAt: new Date() },
  });
  await enqueue(tx, { name: 'collectFees', payload: {}, key: 'collectFees' });
}
