import type { Transaction } from '../../persistence/database';
import type { Substatus } from './substatus';

interface NextStep {
  readonly stepIndex: number;
  readonly status: string;
  readonly kind: string;
  readonly operator: string;
  /** The step whose transaction pays the provider of the transfer; `undefined` without a transfer. */
  readonly originStep: number | undefined;
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
    select: {
      stepIndex: true,
      status: true,
      kind: true,
      operator: true,
      action: { select: { delivery: { select: { originStep: true } } } },
    },
  });
  return step === null ? undefined : { ...step, originStep: step.action.delivery?.originStep };
}

/** Substatus while a step is awaited; `undefined` when the deliveries set a more precise one. */
export function substatusBefore({ stepIndex, status, kind, operator, originStep }: NextStep): Substatus | undefined {
  if (status === 'SUBMITTED') return 'WAITING_CONFIRMATIONS';
  if (stepIndex <= (originStep ?? 0)) return 'WAITING_ORIGIN';
  if (originStep !== undefined) return operator === 'USER' ? SUBSTATUS_OF_USER[kind] : undefined;
  return operator === 'USER' && kind === 'BRIDGE' ? 'DESTINATION_MINT_REQUIRED' : 'WAITING_DESTINATION';
}

/** What an action waits for when its wallet has to send the step after its transfer. */
const SUBSTATUS_OF_USER: Readonly<Record<string, Substatus>> = {
  DEPOSIT: 'DEPOSIT_REQUIRED',
  TRANSFER: 'WAITING_DESTINATION',
};

/** Substatus of an action that waits for a transaction again, which a chain has lost. */
export async function substatusAfterLoss(tx: Transaction, action: OwnAction): Promise<Substatus> {
  const next = await nextStep(tx, action);
  return (next && substatusBefore(next)) ?? 'WAITING_DESTINATION';
}
