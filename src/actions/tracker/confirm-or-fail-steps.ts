import type { TransactionReceipt } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { readReceipt } from '../../rpc/read-receipt';
import { requestEach } from '../../rpc/request-each';
import { recordConfirmedStep } from './record-confirmed-step';
import { explainRevert } from './explain-revert';
import { failRevertedStep } from './fail-reverted-step';
import { ownShare } from '../amounts/share-of-delivery';
import { readMined } from '../amounts/mined-effects';
import { readReceived } from '../amounts/read-received';
import { readSpent } from '../amounts/read-spent';
import { readHead } from '../../rpc/head-reader';
import { isDelivery, netReceived, spendsInput } from './moved-tokens';
import { readOutput } from './read-output';
import { relocateStep } from './relocate-step';
import { confirmOrFailSafeCall } from './safes/confirm-or-fail-safe-call';
import { MAX_SETTLING_MS, settleEach } from './settle-each';
import { deliveredAmounts } from '../amounts/delivered-amounts';
import { swapShortfall } from './swap-shortfall';
import { type SubmittedStep, submittedSteps } from './submitted-steps';
import type { TrackerDeps } from './tracker-deps';
import { confirmOrFailOperation } from './user-operations/confirm-or-fail-operation';

export interface Fork {
  /** Newest block that was read and is still on the chain; -1 when there is none. */
  readonly number: bigint;
  /** True when other blocks have replaced the ones that were read. */
  readonly replaced: boolean;
}

/** The node does not have the receipt of a transaction that should be final. */
class LaggingNodeError extends Error {
  override readonly name = 'LaggingNodeError';
}

/** Ends the steps whose transactions have `chain.confirmations` blocks on top of them. */
export async function confirmOrFailSteps(deps: TrackerDeps, chainId: number, head: bigint): Promise<void> {
  const final = head - BigInt(deps.chains.get(chainId).confirmations);
  const steps = await submittedSteps(deps, chainId, { notAfter: final });
  await forEachReceipt(deps, { chainId, steps }, async (step, receipt) => {
    if (receipt?.blockHash !== step.blockHash) {
      if (await relocateStep(deps, step, { receipt, replaced: false })) return;
      throw new LaggingNodeError('the node does not have the receipt of a final transaction');
    }
    if (step.userOperationHash !== undefined) return confirmOrFailOperation(deps, step, receipt);
    if (step.callIndex !== undefined) return confirmOrFailSafeCall(deps, step, receipt);
    return receipt.status === 'success' ? settleSuccess(deps, step, receipt) : settleRevert(deps, step, receipt);
  });
}

/**
 * After a reorganisation: finds the new blocks of the transactions that were in blocks after `fork`. Steps in quarantine do
 * not wait for their next attempt: a replacement of their transaction may be in the blocks that are read next.
 */
export async function relocateSteps(deps: TrackerDeps, chainId: number, fork: Fork): Promise<void> {
  const steps = await submittedSteps(deps, chainId, { after: fork.number, withPostponed: true });
  await forEachReceipt(deps, { chainId, steps }, async (step, receipt) => {
    if (receipt?.blockHash !== step.blockHash) await relocateStep(deps, step, { receipt, replaced: fork.replaced });
  });
}

/** Transactions whose receipts are in memory at the same time: each may have megabytes of logs. */
const RECEIPTS_PER_ROUND = 16;

async function forEachReceipt(
  deps: TrackerDeps,
  { chainId, steps }: { readonly chainId: number; readonly steps: readonly SubmittedStep[] },
  handle: (step: SubmittedStep, receipt: TransactionReceipt | undefined) => Promise<void>,
): Promise<void> {
  const until = Date.now() + MAX_SETTLING_MS;
  const client = deps.rpc.client(chainId);
  const hashes = [...new Set(steps.map(({ txHash }) => txHash))];
  for (let start = 0; start < hashes.length && Date.now() < until; start += RECEIPTS_PER_ROUND) {
    const round = hashes.slice(start, start + RECEIPTS_PER_ROUND);
    const receipts = await requestEach(
      round.map((hash) => (signal?: AbortSignal) => readReceipt(client, hash, signal)),
    );
    await settleEach(deps, {
      chainId,
      steps: steps.filter(({ txHash }) => round.includes(txHash)),
      until,
      async settle(step) {
        const receipt = receipts[round.indexOf(step.txHash)];
        if (receipt?.status === 'rejected') throw receipt.reason;
        await handle(step, receipt?.value);
      },
      probe: () => readHead(client),
    });
  }
}

async function settleSuccess(deps: TrackerDeps, step: SubmittedStep, receipt: TransactionReceipt): Promise<void> {
  const { action, chainId } = step;
  const client = deps.rpc.client(chainId);
  const wrappedNative = deps.chains.get(chainId).wrappedNative;
  const carriedOut = await readMined(client, receipt);
  if (isDelivery(step)) {
    const { tokenOut: token, receiverAddress: owner } = step.delivered ?? action;
    return settleDelivery(deps, step, await readReceived(client, carriedOut, { token, owner, wrappedNative }));
  }
  const sold = { token: action.tokenIn, owner: action.originAddress, wrappedNative, quoted: action.amountIn };
  const received = netReceived(step, await readOutput(client, { step, mined: carriedOut }, { wrappedNative }));
  await recordConfirmedStep(deps.database, step, {
    spent: spendsInput(step) ? await readSpent(client, carriedOut, sold) : undefined,
    received,
    shortfall: swapShortfall(step, { received, wrappedNative }),
  });
}

/** A missing token is a shortfall. A missing amount of the native coin may only mean that the node cannot show it. */
async function settleDelivery(deps: TrackerDeps, step: SubmittedStep, total: bigint | undefined): Promise<void> {
  const { actionId, chainId, txHash, isLast, flaw } = step;
  const action = step.delivered ?? step.action;
  const arrived = await ownShare(deps.database, { actionId, chainId, txHash, action }, total);
  const moved = deliveredAmounts({ ...action, endsAction: isLast }, { arrived, flaw });
  const isUnknown = arrived === undefined && flaw === undefined && isNativeToken(action.tokenOut);
  await recordConfirmedStep(deps.database, step, isUnknown ? { ...moved, shortfall: undefined } : moved);
}

async function settleRevert(deps: TrackerDeps, step: SubmittedStep, receipt: TransactionReceipt): Promise<void> {
  const client = deps.rpc.client(step.chainId);
  const transaction = await client.getTransaction({ hash: receipt.transactionHash });
  await failRevertedStep(deps.database, step, await explainRevert(client, transaction, receipt));
}
