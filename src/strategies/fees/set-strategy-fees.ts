import { type Actor, recordAudit } from '../../auth/audit-log';
import { lockCustomer } from '../../auth/lock-customer';
import { assertNotBlocked } from '../../auth/sanctions';
import { isServiceError, serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { enqueue } from '../../jobs/enqueue';
import type { Database, Transaction } from '../../persistence/database';
import { uuidV7 } from '../../persistence/uuid-v7';
import { assertRecipients, type RecipientCheckDeps } from '../../quotes/request/recipient-check';
import { slugOf, slugsOf } from '../catalog/merge-rows';
import { lockRecipients } from '../collection/request-registry-write';
import type { Strategies } from '../catalog/strategies';
import type { Strategy } from '../strategy';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import { STOCKS } from '../strategy-row';
import { feesOfRow, firstOf } from './customer-fees';
import { deploymentFees } from './deployment-fees';
import { MAX_CUSTOMER_MARKS, storedMarks } from './fee-marks';
import { type CustomerStrategyView, findCustomerStrategy } from './customer-strategies';
import { assertConsistent, changedFees, type FeeChanges, parseFeeChanges, type RequestedFees } from './requested-fees';

export interface SetFeesDeps extends RecipientCheckDeps {
  readonly database: Database;
  readonly strategies: Pick<Strategies, 'ready' | 'get' | 'slugsOf'>;
  /** Fees of the deployment, which apply until a customer sets its own. */
  readonly defaults: RequestedFees;
  readonly blockedAddresses: ReadonlySet<string>;
}

/**
 * Sets the fees of a customer for a strategy, in place of those of the deployment. Lower fees on profit apply at once. Higher ones
 * apply when a worker has read the state of the strategy from which profit counts: profit until then stays free. Settings that
 * are as they were change nothing.
 *
 * @throws VALIDATION_ERROR, STRATEGY_NOT_FOUND, LENDING_SERVICE_UNAVAILABLE, FORBIDDEN for a blocked recipient,
 * MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR, FEE_ACTIVATION_IN_PROGRESS, FEE_ACTIVATION_TASK_NOT_PERSISTED,
 * RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH
 */
export async function setStrategyFees(
  deps: SetFeesDeps,
  actor: Actor,
  { strategyId: name, ...given }: FeeChanges & { readonly strategyId: string },
): Promise<CustomerStrategyView> {
  const changes = parseFeeChanges(given);
  await deps.strategies.ready();
  const strategy = deps.strategies.get(name);
  if (strategy.row.protocol === STOCKS)
    throw validationError([{ path: 'strategyId', message: 'is a tokenized stock: its orders are free of fees' }]);
  const { collector, markupRecipient } = changes;
  assertNotBlocked(deps.blockedAddresses, [collector, markupRecipient]);
  await assertRecipients(deps, recipientsOf(strategy, { collector, markupRecipient }));
  const { customerId } = actor;
  await deps.database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const own = await findFees(tx, actor, strategy);
    const fees = changedFees(own?.fees ?? deps.defaults, changes);
    assertConsistent(fees);
    if (own !== undefined && isSame(own.fees, fees)) return;
    const strategyId = own?.strategyId ?? slugOf(strategy.row.id);
    await allowRecipients(tx, actor, { own, fees });
    const former = own?.fees ?? (await findDeploymentFees(tx, deps.defaults, strategy));
    const change = { actor, strategyId, strategy, fees, former };
    await store(tx, change, await activatesLater(tx, change));
  });
  return findCustomerStrategy(deps, { customerId, strategyId: strategy.row.id });
}

const recipientsOf = (
  { chain }: Strategy,
  given: { readonly collector: string | undefined; readonly markupRecipient: string | null | undefined },
) =>
  [
    { path: 'feeCollector', chain, address: given.collector },
    { path: 'markupRecipient', chain, address: given.markupRecipient },
  ].flatMap(({ address, ...rest }) => (typeof address === 'string' ? [{ ...rest, address }] : []));

interface StoredFees {
  /** Id under which they are stored: that of the strategy, or a former one. */
  readonly strategyId: string;
  readonly fees: StrategyFees;
}

async function findFees(tx: Transaction, { customerId }: Actor, { row }: Strategy): Promise<StoredFees | undefined> {
  const slugs = slugsOf(row);
  const rows = await tx.customerStrategy.findMany({ where: { customerId, strategyId: { in: [...slugs] } } });
  const stored = rows.map((each) => ({ strategyId: each.strategyId, fees: feesOfRow(each) }));
  return firstOf(new Map(stored.map((each) => [each.strategyId, each])), slugs);
}

/** What applies until a customer sets fees of its own. Their marks stay: what was free under them is never charged. */
async function findDeploymentFees(tx: Transaction, defaults: RequestedFees, { row }: Strategy): Promise<StrategyFees> {
  const slugs = slugsOf(row);
  const rows = await tx.deploymentFees.findMany({ where: { strategyId: { in: [...slugs] } } });
  return deploymentFees(defaults, firstOf(new Map(rows.map((each) => [each.strategyId, each])), slugs));
}

const isSame = (former: RequestedFees, fees: RequestedFees): boolean =>
  (['entryBps', 'performanceBps', 'markupBps', 'collector', 'markupRecipient'] as const).every(
    (name) => former[name] === fees[name],
  );

/** The first fees of a customer for a strategy have no collection yet. @throws RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH */
async function allowRecipients(
  tx: Transaction,
  { customerId }: Actor,
  { own, fees }: { readonly own: StoredFees | undefined; readonly fees: RequestedFees },
): Promise<void> {
  if (own === undefined) return;
  const isSameAsBefore = own.fees.collector === fees.collector && own.fees.markupRecipient === fees.markupRecipient;
  if (!isSameAsBefore) await lockRecipients(tx, { customerId, strategyId: own.strategyId });
}

interface FeeChange {
  readonly actor: Actor;
  /** Id under which the fees are stored. */
  readonly strategyId: string;
  readonly strategy: Strategy;
  readonly fees: RequestedFees;
  /** What applied until now. */
  readonly former: StrategyFees;
}

/**
 * True for higher fees on profit.
 *
 * @throws FEE_ACTIVATION_IN_PROGRESS for any change of them while a request is open, VALIDATION_ERROR after too many raises
 */
async function activatesLater(tx: Transaction, { actor, strategyId, fees, former }: FeeChange): Promise<boolean> {
  const { performanceBps, markupBps } = former;
  if (fees.performanceBps === performanceBps && fees.markupBps === markupBps) return false;
  const open = await tx.feeActivation.count({
    where: { customerId: actor.customerId, strategyId, state: { in: ['REQUESTED', 'RECONCILING'] } },
  });
  if (open > 0) throw serviceError('FEE_ACTIVATION_IN_PROGRESS');
  if (profitBpsOf(fees) <= profitBpsOf(former)) return false;
  if (former.marks.length < MAX_CUSTOMER_MARKS) return true;
  const message = `cannot be raised any more: it was raised ${String(MAX_CUSTOMER_MARKS)} times for the strategy. It may be lowered`;
  throw validationError([{ path: 'performanceFeeBps', message }]);
}

async function store(tx: Transaction, change: FeeChange, isLater: boolean): Promise<void> {
  const { actor, strategyId, strategy, fees, former } = change;
  const { customerId } = actor;
  const { performanceBps, markupBps } = isLater ? former : fees;
  const data = {
    entryBps: fees.entryBps,
    performanceBps,
    markupBps,
    feeCollector: fees.collector ?? null,
    markupRecipient: fees.markupRecipient ?? null,
    updatedAt: new Date(),
  };
  const key = { customerId, strategyId };
  await tx.customerStrategy.upsert({
    where: { customerId_strategyId: key },
    create: { ...key, chainId: BigInt(strategy.chain.chainId), ...data, ...storedMarks(former.marks) },
    update: data,
  });
  if (isLater) await requestActivation(tx, change);
  const { collector: feeCollector = null, markupRecipient = null } = fees;
  await recordAudit(tx, actor, {
    operation: 'setStrategyFees',
    targetType: 'strategy',
    targetId: strategyId,
    detail: {
      entryFeeBps: fees.entryBps,
      performanceFeeBps: fees.performanceBps,
      markupFeeBps: fees.markupBps,
      feeCollector,
      markupRecipient,
    },
  });
}

/**
 * The change of the fees rolls back with the task. The request replaces the former one of the strategy, which has ended: the audit
 * log has the history.
 *
 * @throws FEE_ACTIVATION_TASK_NOT_PERSISTED
 */
async function requestActivation(tx: Transaction, { actor, strategyId, strategy, fees }: FeeChange): Promise<void> {
  const { performanceBps, markupBps } = fees;
  const key = { customerId: actor.customerId, strategyId };
  const data = {
    ...key,
    id: uuidV7(),
    chainId: BigInt(strategy.chain.chainId),
    performanceBps,
    markupBps,
  };
  try {
    await tx.feeActivation.deleteMany({ where: { ...key, state: { in: ['ACTIVE', 'FAILED'] } } });
    await tx.feeActivation.create({ data });
    await enqueue(tx, { name: 'activateFees', payload: {}, key: 'activateFees' });
  } catch (cause) {
    throw isServiceError(cause) ? cause : serviceError('FEE_ACTIVATION_TASK_NOT_PERSISTED', {}, { cause });
  }
}
