import { BaseError, type Hex, hexToBytes, type PublicClient } from 'viem';
import { revertReason } from '../../../rpc/revert-reason';
import { isTransportFailure } from '../../../rpc/rpc-failure';
import { simulateCalls, type SimulatedCall, type SimulatedTransaction } from '../../../rpc/simulate';
import { decodeAccountCalls } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { type StepFailure, revertFailure } from '../explain-revert';
import type { BundledOperation } from './bundle';

export interface FailedOperation {
  readonly operation: BundledOperation;
  readonly revertData: Hex | undefined;
  readonly blockNumber: bigint;
}

/**
 * Why a user operation failed. The events of a batch do not state it, therefore its calls are replayed on the state of its
 * block, and on the state before if they pass there. Without that state on the node, the reason stays unknown.
 *
 * @throws an error with PROVIDER_UNAVAILABLE among its causes when the chain does not respond.
 */
export async function explainOperation(client: PublicClient, failed: FailedOperation): Promise<StepFailure> {
  const { operation, revertData, blockNumber } = failed;
  if (revertData !== undefined) return operationFailure(revertData);
  for (const block of [blockNumber, blockNumber - 1n]) {
    const failedCall = await findFailedCall(client, operation, block);
    if (failedCall !== undefined) return operationFailure(failedCall.returnData);
  }
  return (await ranOutOfGas(client, operation, blockNumber)) ? OUT_OF_GAS : UNKNOWN;
}

const UNKNOWN: StepFailure = { reason: 'The user operation reverted', substatus: undefined };
const OUT_OF_GAS: StepFailure = { reason: 'The user operation ran out of gas', substatus: 'OUT_OF_GAS' };

const operationFailure = (data: Hex): StepFailure => ({
  reason: `The user operation reverted: ${revertReason(data)}`,
  substatus: revertFailure(data).substatus,
});

/** The account's call that fails on the state of a block; `undefined` when all pass, or the node lacks the state. */
async function findFailedCall(
  client: PublicClient,
  { sender, callData }: BundledOperation,
  blockNumber: bigint,
): Promise<SimulatedCall | undefined> {
  const calls = decodeAccountCalls(callData) ?? [];
  const results = await replayCalls(
    client,
    calls.map((call) => ({ from: sender, ...call })),
    blockNumber,
  );
  return results.find(({ ok }) => !ok);
}

/** True when the execution fails with its gas limit, although each of its calls passes with more gas. */
async function ranOutOfGas(client: PublicClient, operation: BundledOperation, blockNumber: bigint): Promise<boolean> {
  const { sender, callData, callGasLimit } = operation;
  const execution = { from: ENTRY_POINT, to: sender, data: callData, value: 0n };
  const gas = callGasLimit + transactionGas(callData);
  const [starved] = await replayCalls(client, [{ ...execution, gas }], blockNumber);
  return starved?.ok === false;
}

/** Intrinsic gas of a transaction with this calldata. */
const transactionGas = (data: Hex): bigint =>
  hexToBytes(data).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 21_000n);

export async function replayCalls(
  client: PublicClient,
  calls: readonly SimulatedTransaction[],
  blockNumber: bigint,
): Promise<readonly SimulatedCall[]> {
  if (calls.length === 0) return [];
  try {
    return await simulateCalls(client, calls, { blockNumber });
  } catch (error) {
    if (error instanceof BaseError && isTransportFailure(error)) throw error;
    return []; // the node has pruned the state of that block, or does not simulate
  }
}
