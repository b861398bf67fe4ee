import type { ActionStatus } from '../../persistence/client/enums';

interface StatusTransition {
  readonly from: readonly ActionStatus[];
  readonly to: ActionStatus;
}

/**
 * Every legal transition. What decides that an action has failed:
 *
 * - a step reverted: `tracker/confirm-or-fail-steps.ts` and, for other kinds of steps, `confirm-or-fail-…` in
 *   `tracker/solana/`, `tracker/user-operations/` and `tracker/safes/`
 * - the provider or the destination chain reports a failure: `delivery/decide-delivery-outcome.ts`
 * - less than the minimum arrived: `amounts/shortfall.ts`, and `tracker/swap-shortfall.ts` where nothing moves between chains
 * - the tokens of an order of a tokenized stock were lost, or a deployment of an account failed:
 *   `src/strategies/stocks/record-outcome.ts`, `deployments/deploy-account.ts`
 * - time has run out: `state/expire-actions.ts`
 *
 * Where a transfer to another chain was made, or only a fee reverted, the action first waits for its other transactions, and then
 * fails as `PARTIAL`: `tracker/fail-reverted-step.ts`.
 */
export const TRANSITIONS = {
  /** The origin transaction is on chain, the user operation was included, or the fiat payment arrived. */
  originSeen: { from: ['INITIAL'], to: 'PENDING' },
  /** The origin was not seen in time, or the provider rejected the transfer. */
  failedBeforeOrigin: { from: ['INITIAL'], to: 'FAILED' },
  /**
   * A transaction of an action that had failed came late, or succeeded after an earlier one had reverted.
   * `state/record-execution.ts` makes this change: for the first step where no later one has a transaction, and for any step of
   * the wallet where it sends several transactions. `delivery/poll-delivery.ts` makes it where the transfer of the action was sent
   * although another of its transactions had failed.
   */
  originSeenLate: { from: ['FAILED'], to: 'PENDING' },
  /** The last step is final. */
  completed: { from: ['PENDING'], to: 'SUCCESS' },
  /** A step reverted or expired, the recipient received less than the minimum, or the provider failed without a refund. */
  failed: { from: ['PENDING'], to: 'FAILED' },
  /** The refund is final on its chain, or the provider reported it. */
  refunded: { from: ['PENDING', 'FAILED'], to: 'REFUNDED' },
} as const satisfies Record<string, StatusTransition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** The states in which an action no longer waits for its transactions. */
export const isFinished = (status: ActionStatus): boolean => status !== 'INITIAL' && status !== 'PENDING';
