import { BaseError, type Hex, hexToBytes, type PublicClient } from 'viem';
import { revertReason } from '../../../rpc/revert-reason';
import { isTransportFailure } from '../../../rpc/rpc-failure';
import { simulateCalls, type SimulatedCall, type SimulatedTransaction } from '../../../rpc/simulate';
import { decodeAccountCalls } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { type Failure, failureOf } from '../explain-revert';
import type { BundledOperation } from './bundle';

export interface FailedOperation {
  readonly operation: BundledOperation;
  readonly revertData: Hex | undefined;
  readonly blockNumber: bigint;
}

/**
 * Why a user operation failed. A batch does not say it: its calls are made again on the state of its block, and when they
 * pass there, of the one before. A node that cannot do that leaves the reason unknown.
 *
 * @throws PROVIDER_UNAVAILABLE, somewhere in the causes, when the chain could not be asked.
 */
export async function explainOperation(client: PublicClient, failed: FailedOperation): Promise<Failure> {
  const { operation, revertData, blockNumber } = failed;
  if (revertData !== undefined) return operationFailure(revertData);
  for (const block of [blockNumber, blockNumber - 1n]) {
    const refusal = await repeatedCalls(client, operation, block);
    if (refusal !== undefined) return operationFailure(refusal.returnData);
  }
  return (await ranOutOfGas(client, operation, blockNumber)) ? OUT_OF_GAS : UNKNOWN;
}

const UNKNOWN: Failure = { reason: 'The user operation reverted', substatus: undefined };
const OUT_OF_GAS: Failure = { reason: 'The user operation ran out of gas', substatus: 'OUT_OF_GAS' };

const operationFailure = (data: Hex): Failure => ({
  reason: `The user operation reverted: ${revertReason(data)}`,
  substatus: failureOf(data).substatus,
});

/** The call of the account that fails on the state of a block; `undefined` when all pass, or nobody can tell. */
async function repeatedCalls(
  client: PublicClient,
  { sender, callData }: BundledOperation,
  blockNumber: bigint,
): Promise<SimulatedCall | undefined> {
  const calls = decodeAccountCalls(callData) ?? [];
  const outcomes = await repeat(
    client,
    calls.map((call) => ({ from: sender, ...call })),
    blockNumber,
  );
  return outcomes.find(({ ok }) => !ok);
}

/** True when the execution fails with the gas that it was given, although none of its calls does with more. */
async function ranOutOfGas(client: PublicClient, operation: BundledOperation, blockNumber: bigint): Promise<boolean> {
  const { sender, callData, callGasLimit } = operation;
  const execution = { from: ENTRY_POINT, to: sender, data: callData, value: 0n };
  const gas = callGasLimit + transactionGas(callData);
  const [starved] = await repeat(client, [{ ...execution, gas }], blockNumber);
  return starved?.ok === false;
}

/** What a transaction costs before it does anything. */
const transactionGas = (data: Hex): bigint =>
  hexToBytes(data).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 21_000n);

async function repeat(
  client: PublicClient,
  calls: readonly SimulatedTransaction[],
  blockNumber: bigint,
): Promise<readonly SimulatedCall[]> {
  if (calls.length === 0) return [];
  try {
    return await simulateCalls(client, calls, { blockNumber });
  } catch (error) {
    if (error instanceof BaseError && isTransportFailure(error)) throw error;
    return []; // the node has no state of that block any more, or does not simulate
  }
}
