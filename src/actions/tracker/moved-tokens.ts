import type { SubmittedStep } from './submitted-steps';

type Step = Pick<SubmittedStep, 'stepIndex' | 'kind' | 'chainId' | 'isLast' | 'action'>;

/**
 * True when the step takes the token that the action spends. A transfer before another step on the same chain pays a fee,
 * which is only a part of the amount.
 */
export const spendsInput = (step: Step): boolean =>
  step.stepIndex === 0 && step.chainId === step.action.chainIdIn && !isFee(step);

const isFee = ({ kind, isLast, action }: Step): boolean =>
  kind === 'TRANSFER' && !isLast && action.chainIdIn === action.chainIdOut;

/** True when the step brings the token that the action buys. */
export const bringsOutput = ({ chainId, isLast, action }: Step): boolean => isLast && chainId === action.chainIdOut;

/** True for a later step that another party than the customer carries out: a delivery, whose transaction may serve several actions. */
export const isDelivery = ({ stepIndex, action }: Pick<Step, 'stepIndex' | 'action'>): boolean =>
  stepIndex > 0 && action.chainIdIn !== action.chainIdOut;
