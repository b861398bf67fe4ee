import { invariant } from '../errors/invariant-error';
import { serviceError } from '../errors/service-error';
import { formatUsd } from '../money/usd';
import type { Database, Transaction } from '../persistence/database';
import type { CustomerLimits } from '../auth/customer-limits';
import type { ActionPlan, ActionStarter, OpenLimits, OpenResource, TransferPart } from '../transactions/action-plan';
import { assertUsage, takeUsage } from './state/customer-usage';
import { termsJson } from './amounts/transfer-terms';
import { registerCalls } from './register-calls';
import { isFinished } from './state/status-transitions';

/**
 * Creates the action of a plan unless it exists: a quote creates at most one, however many requests are concurrent.
 * Resolves to what was opened.
 *
 * @throws QUOTE_VALIDATION_ERROR when a transaction of the action is on chain already: another one would pay twice.
 */
export async function startAction(tx: Transaction, plan: ActionPlan): Promise<readonly OpenResource[]> {
  const { id, customerId } = plan;
  const { count } = await tx.action.createMany({ data: [rowOf(plan)], skipDuplicates: true });
  if (count > 0) await addParts(tx, plan);
  const opened = count > 0 ? openedBy(plan) : await continueExisting(tx, plan);
  await registerCalls(tx, { actionId: id, customerId, calls: plan.calls });
  return opened;
}

export interface ActionStarterDeps {
  readonly database: Pick<Database, '$queryRaw' | '$transaction'>;
  /** Limits of the deployment, for customers without their own. */
  readonly limits: Pick<CustomerLimits, OpenResource>;
}

/** Starts actions within the limits of their customers. */
export const createActionStarter = ({ database, limits }: ActionStarterDeps): ActionStarter & OpenLimits => ({
  async startAction(tx, plan) {
    const { customerId } = plan;
    for (const resource of await startAction(tx, plan)) await takeUsage(tx, { customerId, resource, limits });
  },
  async assertMayOpen(customerId, resources) {
    for (const resource of resources) await assertUsage(database, { customerId, resource, limits });
  },
});

/** What counts against the limits. The delivery of a draft counts once the draft is executed or paid. */
function openedBy({ isDraft, delivery }: Pick<ActionPlan, 'isDraft' | 'delivery'>): readonly OpenResource[] {
  if (isDraft) return ['openDrafts'];
  return delivery === undefined ? ['openActions'] : ['openActions', 'openDeliveries'];
}

async function addParts(
  tx: Transaction,
  { id, customerId, steps, delivery, originAddress }: ActionPlan,
): Promise<void> {
  await tx.actionStep.createMany({
    data: steps.map((step, stepIndex) => ({ actionId: id, stepIndex, customerId, ...step })),
  });
  await tx.actionEvent.create({
    data: { actionId: id, customerId, toStatus: 'INITIAL', substatus: 'WAITING_ORIGIN' },
  });
  await tx.customerWallet.createMany({ data: [{ customerId, address: originAddress }], skipDuplicates: true });
  if (delivery === undefined) return;
  const { provider, deposit, part } = delivery;
  // A transfer that starts with a transaction is polled once that is seen; a deposit address from the start.
  const more =
    deposit === undefined ? {} : { deposit: { ...deposit }, phase: 'ACTIVE' as const, nextPollAt: new Date() };
  await tx.delivery.create({ data: { actionId: id, customerId, provider, ...more, ...placeOf(part) } });
}

const placeOf = (part: TransferPart | undefined) =>
  part === undefined
    ? {}
    : { originStep: part.originStep, destinationStep: part.destinationStep, terms: termsJson(part.terms) };

/** A draft that is executed becomes an action. */
async function continueExisting(tx: Transaction, plan: ActionPlan): Promise<readonly OpenResource[]> {
  const existing = await requireSame(tx, plan);
  const { id, customerId, isDraft } = plan;
  if (isDraft || !existing.isDraft) return [];
  const { count } = await tx.action.updateMany({ where: { id, customerId, isDraft: true }, data: { isDraft } });
  return count === 0 ? [] : openedBy(plan);
}

async function requireSame(
  tx: Transaction,
  { id, customerId, quoteId, calls }: ActionPlan,
): Promise<{ readonly isDraft: boolean }> {
  const existing = await tx.action.findFirst({
    where: { id, customerId },
    select: {
      quoteId: true,
      isDraft: true,
      status: true,
      steps: { where: { stepIndex: 0 }, select: { status: true } },
    },
  });
  invariant(existing?.quoteId === (quoteId ?? null), `the action ${id} belongs to another quote or customer`);
  const isStarted = existing.steps.some(({ status }) => status !== 'PENDING');
  // A repeated request for a deposit address returns the same address, whatever happened to it.
  if (calls.length === 0 || !(isFinished(existing.status) || isStarted)) return existing;
  const reason = `it is already executed by the action ${id}`;
  throw serviceError('QUOTE_VALIDATION_ERROR', { quoteId: quoteId ?? id, reason });
}

const rowOf = (plan: ActionPlan) => ({
  id: plan.id,
  customerId: plan.customerId,
  quoteId: plan.quoteId ?? null,
  strategyId: plan.strategy?.id ?? null,
  strategySlug: plan.strategy?.slug ?? null,
  type: plan.type,
  isDraft: plan.isDraft,
  substatus: 'WAITING_ORIGIN',
  provider: plan.provider,
  originAddress: plan.originAddress,
  receiverAddress: plan.receiverAddress,
  refundAddress: plan.refundAddress ?? null,
  chainIdIn: plan.chainIdIn,
  chainIdOut: plan.chainIdOut,
  tokenIn: { ...plan.tokenIn },
  tokenOut: { ...plan.tokenOut },
  amountIn: plan.amountIn.toString(),
  amountOut: plan.amountOut.toString(),
  minAmountOut: plan.minAmountOut.toString(),
  amountInUsd: plan.amountInUsd === undefined ? null : formatUsd(plan.amountInUsd),
  amountOutUsd: plan.amountOutUsd === undefined ? null : formatUsd(plan.amountOutUsd),
  fees: { ...plan.fees, breakdown: plan.fees.breakdown.map((fee) => ({ ...fee })) },
  webhookUrl: plan.webhookUrl ?? null,
  expiresAt: plan.expiresAt,
});
