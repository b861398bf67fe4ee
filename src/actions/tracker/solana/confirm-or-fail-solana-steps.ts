import type { LandedTransaction } from '../../../rpc/solana/landed-transaction';
import { explainError, type TroubleKind } from '../../../rpc/solana/explain-error';
import type { Substatus } from '../../state/substatus';
import { changeSubstatus } from '../../state/change-status';
import { substatusAfterLoss } from '../../state/next-step';
import { requireLease } from '../chain-lease';
import { clearCaughtUp } from '../cursor';
import { recordConfirmedStep } from '../record-confirmed-step';
import { failRevertedStep } from '../fail-reverted-step';
import { ownShare } from '../../amounts/share-of-delivery';
import { shortfallOf } from '../../amounts/shortfall';
import { settleEach } from '../settle-each';
import { type SubmittedStep, submittedSteps } from '../submitted-steps';
import { findExecutions } from './find-executions';
import { receivedOnSolana, spentOnSolana } from '../../amounts/moved-on-solana';
import { referenceOfStep } from './open-references';
import { blockOf } from './record-executions';
import type { SolanaTrackerDeps } from './solana-tracker-deps';
import { WITHOUT_TRANSACTION } from '../../state/without-transaction';

/** Final slots after which a transaction that is in none of them can no longer land. */
const LOST_AFTER_SLOTS = 200;

/** The node does not have a transaction that is final. */
class MissingTransactionError extends Error {
  override readonly name = 'MissingTransactionError';
}

/** Ends the steps whose transactions are final, and resets those whose transactions a fork has dropped. */
export async function confirmOrFailSolanaSteps(deps: SolanaTrackerDeps, chainId: number): Promise<void> {
  const { solana } = deps;
  const steps = await submittedSteps(deps, chainId, {});
  if (steps.length === 0) return;
  const statuses = await solana.signatureStatuses(
    chainId,
    steps.map(({ txHash }) => txHash),
  );
  await resetLostSteps(
    deps,
    chainId,
    steps.filter((_, index) => statuses[index] === undefined),
  );
  const final = steps.filter((_, index) => statuses[index]?.isFinal === true);
  if (final.length === 0) return;
  const signatures = final.map(({ txHash }) => txHash);
  const transactions = await solana.eachTransaction(chainId, { signatures, commitment: 'finalized' });
  await settleEach(deps, {
    chainId,
    steps: final,
    async settle(step) {
      const result = transactions[final.indexOf(step)];
      if (result?.status === 'rejected') throw result.reason;
      if (result?.value === undefined) throw new MissingTransactionError('the node does not have a final transaction');
      await settle(deps, step, result.value);
    },
    probe: () => solana.finalizedSlot(chainId),
  });
}

async function settle(deps: SolanaTrackerDeps, step: SubmittedStep, transaction: LandedTransaction): Promise<void> {
  if (transaction.error === null) return complete(deps, step, transaction);
  if (await replaceFailed(deps, step)) return;
  const { reason, kind } = explainError(transaction.error, transaction.logs);
  const substatus = kind === undefined ? undefined : SUBSTATUSES[kind];
  await failRevertedStep(deps.database, step, { reason: `The transaction failed: ${reason}`, substatus });
}

const SUBSTATUSES: Readonly<Partial<Record<TroubleKind, Substatus>>> = {
  slippage: 'SLIPPAGE_EXCEEDED',
  compute: 'OUT_OF_GAS',
  expired: 'EXPIRED',
};

async function complete(
  { database }: SolanaTrackerDeps,
  step: SubmittedStep,
  transaction: LandedTransaction,
): Promise<void> {
  const { action, chainId, stepIndex, flaw } = step;
  const received =
    chainId === action.chainIdOut
      ? receivedOnSolana(transaction, { token: action.tokenOut, owner: action.receiverAddress })
      : undefined;
  if (stepIndex > 0) {
    const arrived = await ownShare(database, step, received);
    const shortfall = shortfallOf(action, { arrived, flaw });
    return recordConfirmedStep(database, step, { spent: undefined, received: arrived, shortfall });
  }
  const spent =
    chainId === action.chainIdIn
      ? spentOnSolana(transaction, { token: action.tokenIn, owner: action.originAddress })
      : undefined;
  await recordConfirmedStep(database, step, { spent, received });
}

/**
 * Wallets retry failed transactions: when another transaction has executed the plan, the step gets that one. True when
 * there was one.
 */
async function replaceFailed(deps: SolanaTrackerDeps, step: SubmittedStep): Promise<boolean> {
  const reference = await referenceOfStep(deps.database, step);
  const { found, failed } = await findExecutions(deps, step.chainId, reference === undefined ? [] : [reference]);
  const [[retry], [failure]] = [found, failed];
  if (failure !== undefined) throw failure.error;
  if (retry === undefined || retry.transaction.error !== null) return false;
  const { actionId, stepIndex, chainId, txHash } = step;
  const { number, hash, timestamp } = blockOf(retry.transaction);
  return deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    const taken = await tx.actionStep.count({ where: { chainId, txHash: retry.transaction.signature } });
    if (taken > 0) return false;
    const minedAt = new Date(Number.parseInt(timestamp.toString(), 10) * 1000);
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', txHash },
      data: { txHash: retry.transaction.signature, blockNumber: number, blockHash: hash, minedAt, reverted: false },
    });
    return count > 0;
  });
}

/**
 * Resets steps whose transactions the node does not have, once they can no longer land. The action then waits for its
 * origin again; it stays PENDING and its log states the reason.
 */
async function resetLostSteps(
  deps: SolanaTrackerDeps,
  chainId: number,
  steps: readonly SubmittedStep[],
): Promise<void> {
  if (steps.length === 0) return;
  const finalized = BigInt(await deps.solana.finalizedSlot(chainId));
  for (const step of steps) {
    if (finalized > step.blockNumber + BigInt(LOST_AFTER_SLOTS)) await resetStep(deps, step);
  }
}

async function resetStep(deps: SolanaTrackerDeps, step: SubmittedStep): Promise<void> {
  const { actionId, stepIndex, chainId, txHash } = step;
  deps.log.info({ actionId, txHash }, 'a fork dropped the transaction of an action');
  await deps.database.$transaction(async (tx) => {
    await requireLease(tx, deps, chainId);
    const { count } = await tx.actionStep.updateMany({
      where: { actionId, stepIndex, status: 'SUBMITTED', txHash },
      data: WITHOUT_TRANSACTION,
    });
    if (count === 0) return;
    await changeSubstatus(tx, actionId, {
      substatus: await substatusAfterLoss(tx, step),
      detail: { stepIndex, txHash, cause: 'the chain has continued without the transaction' },
    });
    // Another transaction may be on chain already: until its reference was searched for, the action does not expire.
    await clearCaughtUp(tx, chainId);
  });
}
