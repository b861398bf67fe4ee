import { decodeFunctionData, erc20Abi, keccak256, type PublicClient, type TransactionReceipt } from 'viem';
import type { SmartAccountCall } from '../../../smart-accounts/safe-account';
import { decodeSafeTransaction, hasSafeExecuted } from '../../../smart-accounts/safe-transaction';
import { revertReason } from '../../../rpc/revert-reason';
import { isSameAddress } from '../../../chains/addresses';
import type { QuotedClaim } from '../../amounts/claimed-rewards';
import type { MinedEffects } from '../../amounts/mined-effects';
import { readSpent } from '../../amounts/read-spent';
import { ownShare } from '../../amounts/share-of-delivery';
import type { MovedAmounts } from '../../state/settle-confirmed-step';
import { FEE_PROTOCOL } from '../../../transactions/action-plan';
import { netReceived, spendsInput } from '../moved-tokens';
import { readOutput } from '../read-output';
import { MAX_CALLS } from './match-safe-calls';
import { recordConfirmedStep } from '../record-confirmed-step';
import { revertFailure, type StepFailure } from '../explain-revert';
import { failRevertedStep } from '../fail-reverted-step';
import { resetReorgedStep } from '../relocate-step';
import type { SubmittedStep } from '../submitted-steps';
import { swapShortfall } from '../swap-shortfall';
import type { TrackerDeps } from '../tracker-deps';
import { replayCalls } from '../user-operations/explain-operation';

/**
 * Ends a step that a call of a Safe carried out, once its transaction is final. When the transaction was mined again and
 * reverted, the Safe may still make the call: the step waits for another transaction.
 */
export async function confirmOrFailSafeCall(
  deps: TrackerDeps,
  step: SubmittedStep,
  receipt: TransactionReceipt,
): Promise<void> {
  const client = deps.rpc.client(step.chainId);
  const { input } = await client.getTransaction({ hash: receipt.transactionHash });
  const calls = decodeSafeTransaction(input) ?? [];
  const call = calls[step.callIndex ?? 0];
  if (call === undefined || receipt.status === 'reverted') return resetReorgedStep(deps, step);
  if (hasSafeExecuted(receipt, receipt.to)) {
    return recordConfirmedStep(deps.database, step, await readMoved(deps, step, { call, calls, receipt }));
  }
  const safe = step.action.originAddress;
  const failure = await explainFailure(client, { safe, calls, blockNumber: receipt.blockNumber });
  return failRevertedStep(deps.database, step, failure);
}

interface ExecutedCall {
  readonly call: SmartAccountCall;
  /** All that the Safe made in the transaction. */
  readonly calls: readonly SmartAccountCall[];
  readonly receipt: TransactionReceipt;
}

/** The events show the amounts of all calls together: with other actions in the transaction only a share is certain. */
async function readMoved(
  deps: TrackerDeps,
  step: SubmittedStep,
  { call: { to, value }, calls, receipt }: ExecutedCall,
): Promise<MovedAmounts> {
  const { action, actionId, chainId, txHash, kind } = step;
  const client = deps.rpc.client(chainId);
  const wrappedNative = deps.chains.get(chainId).wrappedNative;
  const { logs, blockNumber, from: sentBy } = receipt;
  const from = action.originAddress;
  const place = { txHash, blockNumber, from, sentBy, entryPoint: undefined };
  const mined: MinedEffects = { ...place, to, value, logs, gas: undefined };
  const sold = { token: action.tokenIn, owner: from, wrappedNative, quoted: action.amountIn };
  const others = await deps.database.actionStep.count({ where: { chainId, txHash, actionId: { not: actionId } } });
  const profitFee = action.profitFee - (await feesPaidBy(deps, step, calls));
  const claims = kind === 'CLAIM' ? await claimsOfReward(deps, step, calls) : undefined;
  const brought = await readOutput(client, { step, mined }, { wrappedNative, claims });
  const total = netReceived({ ...step, action: { ...action, profitFee } }, brought);
  const isStated = kind === 'REQUEST' || claims !== undefined;
  const received = others === 0 || isStated ? total : await ownShare(deps.database, step, total);
  return {
    spent: spendsInput(step) && others === 0 ? await readSpent(client, mined, sold) : undefined,
    received,
    shortfall: swapShortfall(step, { received, wrappedNative }),
  };
}

/**
 * The claims of actions among the calls to the rewards contract of the step, in their order. Open calls count as well: while
 * the tracker is behind, the steps of other actions are not recorded yet. Each call is one claim, of the oldest action when several
 * have issued it.
 */
async function claimsOfReward(
  { database }: TrackerDeps,
  { action: { originAddress, receiverAddress, tokenOut }, chainId, txHash, callIndex = 0 }: SubmittedStep,
  calls: readonly SmartAccountCall[],
): Promise<readonly QuotedClaim[]> {
  const made = calls
    .slice(0, MAX_CALLS)
    .map(({ to, data }) => ({ to, dataHash: Buffer.from(keccak256(data, 'bytes')) }));
  const reward = { receiverAddress, tokenOut: { path: ['address'], equals: tokenOut } };
  const claim = { chainId, kind: 'CLAIM', action: reward };
  const steps = await database.actionStep.findMany({
    where: { ...claim, txHash },
    select: { actionId: true, callIndex: true, action: { select: { amountOut: true } } },
  });
  const recorded = steps.map((step) => step.actionId);
  const sender = originAddress.toLowerCase();
  const dataHash = { in: made.map((call) => call.dataHash) };
  const issued = await database.actionCall.findMany({
    where: { ...claim, form: 'CALL', sender, dataHash, open: true, actionId: { notIn: recorded } },
    select: { actionId: true, target: true, dataHash: true, action: { select: { amountOut: true } } },
    orderBy: { actionId: 'asc' },
  });
  const keys = made.map((call) => keyOf(call.to, call.dataHash));
  const claims = new Map(steps.map((step) => [step.callIndex ?? 0, step]));
  for (const { target, dataHash: hash, ...call } of issued) {
    const index = keys.findIndex((key, position) => key === keyOf(target, hash) && !claims.has(position));
    if (index !== -1) claims.set(index, { ...call, callIndex: index });
  }
  return [...claims]
    .filter(([index]) => isSameAddress(calls[index]?.to, calls[callIndex]?.to))
    .sort(([one], [other]) => one - other)
    .map(([, { actionId, action }]) => ({ actionId, quoted: BigInt(action.amountOut.toFixed(0)) }));
}

/**
 * Fees of the action that the same transaction pays: the events show what the withdrawal brings without them. The calls themselves
 * are compared with those that were issued: while the tracker is behind, the step of a fee is not recorded yet. Each fee counts
 * once, although a batch may repeat its call.
 */
async function feesPaidBy(
  { database }: TrackerDeps,
  { action, actionId, customerId, chainId }: SubmittedStep,
  calls: readonly SmartAccountCall[],
): Promise<bigint> {
  if (action.profitFee === 0n) return 0n;
  const where = { actionId, customerId, chainId };
  const steps = await database.actionStep.findMany({
    where: { ...where, protocol: FEE_PROTOCOL },
    select: { stepIndex: true },
  });
  const issued = await database.actionCall.findMany({
    where: { ...where, form: 'CALL', stepIndex: { in: steps.map(({ stepIndex }) => stepIndex) } },
    select: { stepIndex: true, target: true, dataHash: true },
  });
  const stepOf = new Map(issued.map(({ stepIndex, target, dataHash }) => [keyOf(target, dataHash), stepIndex]));
  const paid = new Map<number, bigint>();
  for (const call of calls) {
    const stepIndex = stepOf.get(keyOf(call.to, keccak256(call.data, 'bytes')));
    if (stepIndex !== undefined) paid.set(stepIndex, transferredBy(call));
  }
  return [...paid.values()].reduce((sum, amount) => sum + amount, 0n);
}

const keyOf = (target: string, dataHash: Uint8Array): string =>
  `${target.toLowerCase()} ${Buffer.from(dataHash).toString('hex')}`;

function transferredBy({ data }: SmartAccountCall): bigint {
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
  return functionName === 'transfer' ? args[1] : 0n;
}

interface FailedCalls {
  readonly safe: string;
  readonly calls: readonly SmartAccountCall[];
  readonly blockNumber: bigint;
}

/**
 * Why the calls of a Safe reverted. Its event does not state it, therefore they are replayed on the state of the block, and
 * on the state before. Without that state on the node, the reason stays unknown.
 *
 * @throws when the chain does not respond.
 */
async function explainFailure(client: PublicClient, { safe, calls, blockNumber }: FailedCalls): Promise<StepFailure> {
  const replayed = calls.map((call) => ({ from: safe, ...call }));
  for (const block of [blockNumber, blockNumber - 1n]) {
    const failed = (await replayCalls(client, replayed, block)).find(({ ok }) => !ok);
    if (failed === undefined) continue;
    const { returnData } = failed;
    const reason = `The calls of the Safe reverted: ${revertReason(returnData)}`;
    return { reason, substatus: revertFailure(returnData).substatus };
  }
  return { reason: 'The calls of the Safe reverted', substatus: undefined };
}
