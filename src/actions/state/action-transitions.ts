import type { ActionStatus } from '../../persistence/client/enums';

interface Edge {
  readonly from: readonly ActionStatus[];
  readonly to: ActionStatus;
}

/**
 * Every legal transition. What decides that an action has failed:
 *
 * - a step reverted: `tracker/fail-step.ts`
 * - the provider or the destination chain reports a failure: `delivery/decide-outcome.ts`
 * - less than the minimum arrived: `amounts/shortfall.ts`
 * - time has run out: `state/expire-actions.ts`
 */
export const TRANSITIONS = {
  /** The origin transaction is on chain, the user operation was included, or the fiat payment arrived. */
  originSeen: { from: ['INITIAL'], to: 'PENDING' },
  /** The origin was not seen in time, or the provider rejected the transfer. */
  givenUp: { from: ['INITIAL'], to: 'FAILED' },
  /** The last leg is final. */
  completed: { from: ['PENDING'], to: 'SUCCESS' },
  /** A leg reverted, the recipient received less than the minimum, the provider failed without a refund, or a leg expired. */
  failed: { from: ['PENDING'], to: 'FAILED' },
  /** The refund is queued or seen. */
  refunded: { from: ['PENDING', 'FAILED'], to: 'REFUNDED' },
} as const satisfies Record<string, Edge>;

export type TransitionName = keyof typeof TRANSITIONS;

/** The states in which an action no longer waits for its transactions. */
export const isFinished = (status: ActionStatus): boolean => status !== 'INITIAL' && status !== 'PENDING';
