import type { SubmittedStep } from './submitted-steps';

type Step = Pick<SubmittedStep, 'stepIndex' | 'kind' | 'chainId' | 'isFee' | 'isLast'> & {
  readonly action: Pick<SubmittedStep['action'], 'chainIdIn' | 'chainIdOut' | 'hasFee' | 'amountIn'>;
};

/**
 * True when the step takes the token that the action spends, all of it. The transfer of a fee takes only a part, and the
 * deposit of the rest as well; a claim takes nothing, whether of a reward or of what was requested before.
 */
export const spendsInput = (step: Step): boolean =>
  step.stepIndex === 0 &&
  step.chainId === step.action.chainIdIn &&
  !step.isFee &&
  step.kind !== 'CLAIM' &&
  step.action.amountIn > 0n &&
  !(TAKES_REST.has(step.kind) && step.action.hasFee);

/** Kinds before whose amount a fee is subtracted. */
const TAKES_REST: ReadonlySet<string> = new Set(['DEPOSIT', 'REQUEST']);

/**
 * What a step brings after the fees that later steps pay from it: a withdrawal to the wallet itself, in a transaction of its own,
 * brings all of its profit first.
 */
export function netReceived(
  {
    kind,
    isLast,
    action: { hasFee, profitFee },
  }: Pick<SubmittedStep, 'kind' | 'isLast'> & {
    readonly action: Pick<SubmittedStep['action'], 'hasFee' | 'profitFee'>;
  },
  received: bigint | undefined,
): bigint | undefined {
  if (received === undefined || !isLast || kind !== 'WITHDRAW' || !hasFee) return received;
  return received > profitFee ? received - profitFee : 0n;
}

/** True when the step brings the token that the action buys. */
export const bringsOutput = ({ chainId, isLast, action }: Step): boolean => isLast && chainId === action.chainIdOut;

/**
 * True for the step of a delivery, whose transaction may serve several actions: a later one on the destination chain that is not a
 * deposit of what was delivered, nor its fee.
 */
export const isDelivery = ({ stepIndex, kind, chainId, isFee, action }: Step): boolean =>
  stepIndex > 0 &&
  action.chainIdIn !== action.chainIdOut &&
  chainId === action.chainIdOut &&
  kind !== 'DEPOSIT' &&
  !isFee;
