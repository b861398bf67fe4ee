import { type Actor, recordAudit } from '../../auth/audit-log';
import { lockCustomer } from '../../auth/lock-customer';
import { assertNotBlocked } from '../../auth/sanctions';
import { createFieldReader } from '../../errors/field-reader';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { RecurringCollection } from '../../persistence/client/client';
import type { Transaction } from '../../persistence/database';
import { assertRecipients } from '../../quotes/request/recipient-check';
import { type CustomerStrategyView, findCustomerStrategy } from '../fees/customer-strategies';
import { feesOfRow } from '../fees/customer-fees';
import { assertConsistent, changedFees, parseFeeChanges, type RequestedFees } from '../fees/requested-fees';
import type { SetFeesDeps } from '../fees/set-strategy-fees';
import type { Strategy } from '../strategy';
import { type CollectionRegistry, isSameEntry } from './collection-registry';
import { REQUESTED_STATES, type RequestedState } from './collection-states';
import type { RegistryEntry } from './registry-contract';
import {
  assertCollectable,
  assertMayRotate,
  assertSynchronized,
  confirmedEntry,
  entryOfFees,
  lockCollection,
  requestWrite,
} from './request-registry-write';

export interface SetCollectionDeps extends SetFeesDeps {
  readonly registry: CollectionRegistry;
}

export interface CollectionChange {
  /** Id, slug or alias. */
  readonly strategyId: string;
  readonly state: string;
  readonly intervalDays?: number | null | undefined;
}

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 30;

/** The strategy of a change, and what the chain has for it. */
interface Target {
  readonly actor: Actor;
  readonly strategy: Strategy;
  readonly strategyId: string;
  readonly registry: ReturnType<CollectionRegistry['addressOn']>;
  readonly onChain: RegistryEntry;
}

/**
 * Turns the recurring collection of fees on profit on or off, or pauses it. The entry on chain is changed by a worker: until then
 * the state is `PENDING`, and nothing is collected.
 *
 * @throws VALIDATION_ERROR, STRATEGY_NOT_FOUND, CUSTOMER_STRATEGY_NOT_FOUND, RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED,
 * RECURRING_COLLECTION_REQUIRES_FEE, RECURRING_MARKUP_RECIPIENT_REQUIRED, MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR,
 * RECURRING_REGISTRY_MISMATCH, RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH, PROVIDER_UNAVAILABLE
 */
export async function setRecurringCollection(
  deps: SetCollectionDeps,
  actor: Actor,
  { strategyId: name, state: givenState, intervalDays: givenDays }: CollectionChange,
): Promise<CustomerStrategyView> {
  const reader = createFieldReader({ state: givenState, intervalDays: givenDays });
  const state = reader.oneOf('state', REQUESTED_STATES);
  const days = reader.integer('intervalDays', { minimum: 1, maximum: 365 });
  if (state === undefined && reader.issues.length === 0) reader.addIssue('state', 'is required');
  if (state === undefined || reader.issues.length > 0) throw validationError(reader.issues);
  const target = await findTarget(deps, actor, name);
  await deps.database.$transaction(async (tx) => {
    await lockCustomer(tx, actor.customerId);
    const row = await ensureRow(tx, target, state);
    const intervalSeconds = days === undefined ? row.intervalSeconds : days * DAY_SECONDS;
    const entry = state === 'LIVE' ? await liveEntry(tx, target) : { ...confirmedEntry(row), live: false };
    const isChanged = await change(tx, { row, entry, target, state });
    if (!isChanged && intervalSeconds === row.intervalSeconds) return;
    if (intervalSeconds !== row.intervalSeconds) await storeInterval(tx, row, intervalSeconds);
    const detail = { state, intervalDays: intervalSeconds / DAY_SECONDS };
    await recordAudit(tx, actor, auditOf('setRecurringCollection', target, detail));
  });
  return findCustomerStrategy(deps, { customerId: actor.customerId, strategyId: target.strategyId });
}

/** A shorter interval begins now; a longer one after the run that is due next. */
async function storeInterval(
  tx: Transaction,
  { customerId, strategyId }: RecurringCollection,
  intervalSeconds: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE "RecurringCollection"
       SET "intervalSeconds" = ${intervalSeconds}, "updatedAt" = now(),
           "nextRunAt" = least("nextRunAt", now() + make_interval(secs => ${intervalSeconds}))
     WHERE "customerId" = ${customerId}::uuid AND "strategyId" = ${strategyId}`;
}

export interface RecipientsChange {
  /** Id, slug or alias. */
  readonly strategyId: string;
  readonly feeCollector?: string | null | undefined;
  /** An empty text or the zero address removes it. */
  readonly markupRecipient?: string | null | undefined;
}

/**
 * Replaces the recipients of the fees on a strategy, in what withdrawals pay and on chain. Refused while a collection may be
 * executed, which would pay the former ones.
 *
 * @throws as `setRecurringCollection`, FORBIDDEN for a blocked recipient
 */
export async function rotateCollectionRecipients(
  deps: SetCollectionDeps,
  actor: Actor,
  { strategyId: name, feeCollector, markupRecipient }: RecipientsChange,
): Promise<CustomerStrategyView> {
  const changes = parseFeeChanges({ feeCollector, markupRecipient });
  const target = await findTarget(deps, actor, name);
  const given = [
    { path: 'feeCollector', address: changes.collector },
    { path: 'markupRecipient', address: changes.markupRecipient },
  ].flatMap(({ path, address }) =>
    typeof address === 'string' ? [{ path, address, chain: target.strategy.chain }] : [],
  );
  assertNotBlocked(
    deps.blockedAddresses,
    given.map(({ address }) => address),
  );
  await assertRecipients(deps, given);
  await deps.database.$transaction(async (tx) => {
    await lockCustomer(tx, actor.customerId);
    const row = await lockCollection(tx, { customerId: actor.customerId, strategyId: target.strategyId });
    if (row === undefined) throw notFound(name);
    const fees = changedFees(await readOwnFees(tx, target), changes);
    assertConsistent(fees);
    const entry = entryOfFees(fees, { vault: target.strategy.row.market, live: row.isLive });
    if (row.isLive) await change(tx, { row, entry, target, state: 'LIVE' });
    else await assertMayChange(tx, { row, entry, target });
    const recipients = { feeCollector: fees.collector ?? null, markupRecipient: fees.markupRecipient ?? null };
    await tx.customerStrategy.update({ where: keyOf(target), data: { ...recipients, updatedAt: new Date() } });
    await recordAudit(tx, actor, auditOf('rotateCollectionRecipients', target, recipients));
  });
  return findCustomerStrategy(deps, { customerId: actor.customerId, strategyId: target.strategyId });
}

/** Reads the entry before each change. */
async function findTarget(deps: SetCollectionDeps, actor: Actor, name: string): Promise<Target> {
  const { customerId } = actor;
  await deps.strategies.ready();
  const strategy = deps.strategies.get(name);
  const { strategyId } = await findCustomerStrategy(deps, { customerId, strategyId: name });
  if (strategy.row.protocol !== 'erc4626')
    throw validationError([{ path: 'strategyId', message: 'must be a strategy of an ERC-4626 vault' }]);
  const { chain } = strategy;
  const registry = deps.registry.addressOn(chain);
  const onChain = await deps.registry.readEntry({ chain, registry, customerId, strategyId });
  return { actor, strategy, strategyId, registry, onChain };
}

const keyOf = ({ actor: { customerId }, strategyId }: Target) => ({
  customerId_strategyId: { customerId, strategyId },
});

const notFound = (name: string) => serviceError('CUSTOMER_STRATEGY_NOT_FOUND', { strategyId: name.slice(0, 128) });

/** The collection, locked. Turning it on creates it. */
async function ensureRow(tx: Transaction, target: Target, state: RequestedState): Promise<RecurringCollection> {
  const { actor, strategyId, strategy, registry } = target;
  const key = { customerId: actor.customerId, strategyId };
  if (state === 'LIVE') {
    const data = {
      ...key,
      registry,
      chainId: BigInt(strategy.chain.chainId),
      intervalSeconds: DEFAULT_DAYS * DAY_SECONDS,
    };
    await tx.recurringCollection.createMany({ data, skipDuplicates: true });
  }
  const row = await lockCollection(tx, key);
  if (row === undefined) throw notFound(strategyId);
  return row;
}

async function readOwnFees(tx: Transaction, target: Target): Promise<RequestedFees> {
  return feesOfRow(await tx.customerStrategy.findUniqueOrThrow({ where: keyOf(target) }));
}

const liveEntry = async (tx: Transaction, target: Target): Promise<Omit<RegistryEntry, 'version'>> =>
  entryOfFees(await readOwnFees(tx, target), { vault: target.strategy.row.market, live: true });

interface EntryChange {
  readonly row: RecurringCollection;
  readonly entry: Omit<RegistryEntry, 'version'>;
  readonly target: Target;
}

async function assertMayChange(tx: Transaction, { row, entry, target }: EntryChange): Promise<void> {
  if (entry.live) assertCollectable(entry);
  assertSynchronized(row, target.onChain);
  await assertMayRotate(tx, row, entry);
}

/** False when the chain and the state are as requested. */
async function change(
  tx: Transaction,
  { state, ...entryChange }: EntryChange & { readonly state: RequestedState },
): Promise<boolean> {
  const { row, entry, target } = entryChange;
  await assertMayChange(tx, entryChange);
  if (row.state === state && isSameEntry(confirmedEntry(row), entry)) return false;
  const isUnwritten = row.registryVersion === 0n && !entry.live;
  if (isUnwritten || isSameEntry(confirmedEntry(row), entry)) {
    await tx.recurringCollection.update({ where: keyOf(target), data: { state } });
    return true;
  }
  await requestWrite(tx, row, { entry, targetState: state });
  return true;
}

const auditOf = (
  operation: string,
  { strategyId }: Target,
  detail: Readonly<Record<string, string | number | null>>,
) => ({ operation, targetType: 'strategy' as const, targetId: strategyId, detail });
