import type { TransactionReceipt } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { readReceipt } from '../../rpc/read-receipt';
import { completeStep } from './complete-step';
import { describeFailure, isUnavailable } from '../../errors/describe-failure';
import { explainRevert } from './explain-revert';
import { failStep } from './fail-step';
import { amountReceived, amountSpent } from '../amounts/moved-amounts';
import { ownShare } from '../amounts/share-of-delivery';
import { readReceived, readMined } from '../amounts/read-received';
import { relocateStep } from './relocate-step';
import { shortfallOf } from '../amounts/shortfall';
import { swapShortfall } from './swap-shortfall';
import { type SubmittedStep, submittedSteps } from './submitted-steps';
import type { TrackerDeps } from './tracker-deps';
import { settleOperation } from './user-operations/settle-operation';

export interface Fork {
  /** Newest block that was read and is still on the chain; -1 when there is none. */
  readonly number: bigint;
  /** True when other blocks have replaced the ones that were read. */
  readonly replaced: boolean;
}

/** Ends the steps whose transactions have `chain.confirmations` blocks on top of them. */
export async function settleSteps(deps: TrackerDeps, chainId: number, head: bigint): Promise<void> {
  const final = head - BigInt(deps.chains.get(chainId).confirmations);
  const steps = await submittedSteps(deps.database, chainId, { notAfter: final });
  await forEachReceipt(deps, steps, async (step, receipt) => {
    if (receipt?.blockHash !== step.blockHash) return relocateStep(deps, step, { receipt, replaced: false });
    if (step.userOperationHash !== undefined) return settleOperation(deps, step, receipt);
    return receipt.status === 'success' ? settleSuccess(deps, step, receipt) : settleRevert(deps, step, receipt);
  });
}

/** After a reorganisation: finds the new blocks of the transactions that were in blocks after `fork`. */
export async function relocateSteps(deps: TrackerDeps, chainId: number, fork: Fork): Promise<void> {
  const steps = await submittedSteps(deps.database, chainId, { after: fork.number });
  await forEachReceipt(deps, steps, async (step, receipt) => {
    if (receipt?.blockHash !== step.blockHash) await relocateStep(deps, step, { receipt, replaced: fork.replaced });
  });
}

async function forEachReceipt(
  deps: TrackerDeps,
  steps: readonly SubmittedStep[],
  handle: (step: SubmittedStep, receipt: TransactionReceipt | undefined) => Promise<void>,
): Promise<void> {
  const receipts = await Promise.all(steps.map((step) => readReceipt(deps.rpc.client(step.chainId), step.txHash)));
  for (const [index, step] of steps.entries()) {
    try {
      await handle(step, receipts[index]);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await postpone(deps, step, error);
    }
  }
}

/** A transaction that the node cannot explain does not delay the others: it moves to the end of the queue. */
async function postpone({ database, log }: TrackerDeps, step: SubmittedStep, error: unknown): Promise<void> {
  const { actionId, stepIndex, txHash } = step;
  log.warn({ actionId, txHash, cause: describeFailure(error) }, 'a transaction could not be settled');
  await database.actionStep.update({
    where: { actionId_stepIndex: { actionId, stepIndex } },
    data: { updatedAt: new Date() },
  });
}

async function settleSuccess(deps: TrackerDeps, step: SubmittedStep, receipt: TransactionReceipt): Promise<void> {
  const { action, chainId } = step;
  const client = deps.rpc.client(chainId);
  const wrappedNative = deps.chains.get(chainId).wrappedNative;
  const bought = { token: action.tokenOut, owner: action.receiverAddress, wrappedNative };
  const carriedOut = await readMined(client, receipt);
  if (step.stepIndex > 0) return settleDelivery(deps, step, await readReceived(client, carriedOut, bought));
  const spent = { token: action.tokenIn, owner: action.originAddress, wrappedNative };
  const received = chainId === action.chainIdOut ? amountReceived(carriedOut, bought) : undefined;
  await completeStep(deps.database, step, {
    spent: chainId === action.chainIdIn ? amountSpent(carriedOut, spent) : undefined,
    received,
    shortfall: swapShortfall(step, { received, wrappedNative }),
  });
}

/** A missing token is a shortfall. A missing amount of the native coin may only mean that the node cannot show it. */
async function settleDelivery(deps: TrackerDeps, step: SubmittedStep, total: bigint | undefined): Promise<void> {
  const { action, flaw } = step;
  const arrived = await ownShare(deps.database, step, total);
  const isUnknown = arrived === undefined && flaw === undefined && isNativeToken(action.tokenOut);
  const shortfall = isUnknown ? undefined : shortfallOf(action, { arrived, flaw });
  await completeStep(deps.database, step, { spent: undefined, received: arrived, shortfall });
}

async function settleRevert(deps: TrackerDeps, step: SubmittedStep, receipt: TransactionReceipt): Promise<void> {
  const client = deps.rpc.client(step.chainId);
  const transaction = await client.getTransaction({ hash: receipt.transactionHash });
  await failStep(deps.database, step, await explainRevert(client, transaction, receipt));
}
