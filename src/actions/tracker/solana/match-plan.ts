import type { LandedTransaction } from '../../../rpc/solana/landed-transaction';
import { receivedOnSolana, spentOnSolana } from '../../amounts/moved-on-solana';
import type { ReferencePlan } from './open-references';

/**
 * How a transaction that names the reference of an action relates to it. Any transaction may name any account, so the
 * reference alone proves nothing.
 *
 * - `executed`: the wallet signed it, and it carried out the plan: on one chain the minimum output arrived, otherwise the
 *   whole input left the wallet.
 * - `failed`: the wallet signed it, and it failed.
 * - `unrelated`: anything else.
 */
export type PlanMatch = 'executed' | 'failed' | 'unrelated';

export function matchPlan(transaction: LandedTransaction, plan: ReferencePlan): PlanMatch {
  if (!transaction.signers.includes(plan.originAddress)) return 'unrelated';
  if (transaction.error !== null) return 'failed';
  return hasMovedTokens(transaction, plan) ? 'executed' : 'unrelated';
}

function hasMovedTokens(transaction: LandedTransaction, plan: ReferencePlan): boolean {
  const spent = spentOnSolana(transaction, { token: plan.tokenIn, owner: plan.originAddress }) ?? 0n;
  if (plan.chainIdOut !== plan.chainId) return spent >= plan.amountIn;
  const received = receivedOnSolana(transaction, { token: plan.tokenOut, owner: plan.receiverAddress }) ?? 0n;
  return spent > 0n && received >= plan.minAmountOut;
}
