import type { LandedTransaction } from '../../../rpc/solana/landed-transaction';
import { receivedOnSolana, spentOnSolana } from '../../amounts/moved-on-solana';
import type { ReferencePlan } from './open-references';

/**
 * What a transaction that names the reference of an action is to it. Anybody may name any account, so the name alone says
 * nothing.
 *
 * - `executed`: the wallet signed it, and it did what was planned: on one chain the promised minimum arrived, else the
 *   whole amount left the wallet.
 * - `failed`: the wallet signed it, and it was charged without effect.
 * - `unrelated`: anything else.
 */
export type Verdict = 'executed' | 'failed' | 'unrelated';

export function verdictOn(transaction: LandedTransaction, plan: ReferencePlan): Verdict {
  if (!transaction.signers.includes(plan.originAddress)) return 'unrelated';
  if (transaction.error !== null) return 'failed';
  return hasMoved(transaction, plan) ? 'executed' : 'unrelated';
}

function hasMoved(transaction: LandedTransaction, plan: ReferencePlan): boolean {
  const spent = spentOnSolana(transaction, { token: plan.tokenIn, owner: plan.originAddress }) ?? 0n;
  if (plan.chainIdOut !== plan.chainId) return spent >= plan.amountIn;
  const received = receivedOnSolana(transaction, { token: plan.tokenOut, owner: plan.receiverAddress }) ?? 0n;
  return spent > 0n && received >= plan.minAmountOut;
}
