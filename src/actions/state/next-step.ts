import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';

interface NextStep {
  readonly stepIndex: number;
  readonly status: string;
  readonly kind: string;
  readonly operator: string;
  readonly hasDelivery: boolean;
}

/** An action of a customer. */
interface OwnAction {
  readonly actionId: string;
  readonly customerId: string;
}

/** The first step that is not final yet; approvals do not delay an action. */
export async function nextStep(tx: Transaction, { actionId, customerId }: OwnAction): Promise<NextStep | undefined> {
  const step = await tx.actionStep.findFirst({
    where: { actionId, customerId, status: { in: ['PENDING', 'SUBMITTED'] }, kind: { not: 'APPROVAL' } },
    orderBy: { stepIndex: 'asc' },
    select: { stepIndex: true, status: true, kind: true, operator: true, action: { select: { delivery: true } } },
  });
  return step === null ? undefined : { ...step, hasDelivery: step.action.delivery !== null };
}

/** Substatus while a step is awaited; `undefined` when the deliveries set a more precise one. */
export function substatusBefore({ stepIndex, status, kind, operator, hasDelivery }: NextStep): Substatus | undefined {
  if (status === 'SUBMITTED') return 'WAITING_CONFIRMATIONS';
  if (stepIndex === 0) return 'WAITING_ORIGIN';
  if (hasDelivery) return operator === 'USER' ? SUBSTATUS_OF_USER[kind] : undefined;
  return operator === 'USER' && kind === 'BRIDGE' ? 'DESTINATION_MINT_REQUIRED' : 'WAITING_DESTINATION';
}

/** What an action with a transfer waits for when its wallet has to send the step. */
const SUBSTATUS_OF_USER: Readonly<Record<string, Substatus>> = {
  BRIDGE: 'WAITING_ORIGIN',
  DEPOSIT: 'DEPOSIT_REQUIRED',
  TRANSFER: 'WAITING_DESTINATION',
};

/** Substatus of an action that waits for a transaction again, which a chain has lost. */
export async function substatusAfterLoss(tx: Transaction, action: OwnAction): Promise<Substatus> {
  const next = await nextStep(tx, action);
  return (next && substatusBefore(next)) ?? 'WAITING_DESTINATION';
}
