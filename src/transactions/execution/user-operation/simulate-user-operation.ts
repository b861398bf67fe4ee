import { type Address, encodeFunctionData, type Hex, parseAbi, zeroHash } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { isServiceError } from '../../../errors/service-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Rpc } from '../../../rpc/rpc';
import type { SimulatedCall, SimulatedTransaction } from '../../../rpc/simulate';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { type MeasuredGas, type UserOperationV07, FALLBACK_GAS } from './gas-limits';

export interface OperationSimulationRequest {
  readonly chainId: number;
  /** With limits and a stub signature of the final length. */
  readonly operation: UserOperationV07;
  /** The calls that `callData` encodes. */
  readonly calls: readonly UnsignedCall[];
  readonly threshold: number;
  readonly balance: bigint;
  readonly signal: AbortSignal;
}

export interface OperationSimulation {
  readonly simulation: SimulationView;
  readonly gas: MeasuredGas;
}

const VALIDATION = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validateUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256)',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes, uint256)',
]);

type Simulate = Pick<Rpc, 'simulate'>;

/**
 * Simulates the parts of an operation as the EntryPoint calls them, and measures their gas: deployment with validation, and
 * deployment with execution. Neither needs a valid signature.
 */
export async function simulateUserOperation(
  rpc: Simulate,
  request: OperationSimulationRequest,
): Promise<OperationSimulation> {
  try {
    const [verified, executed] = await Promise.all([verify(rpc, request), execute(rpc, request)]);
    const gas = measured(request, { verified, executed });
    const rejection = findRejection(request, verified);
    if (rejection !== undefined) return { gas, simulation: reverted(rejection) };
    const failed = executed.find(({ ok }) => !ok);
    if (failed === undefined) return { gas, simulation: { status: 'SUCCESS', reason: undefined } };
    return { gas, simulation: reverted((await failedCall(rpc, request)) ?? revertReasonOf(failed)) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { gas: fallbackGas(request), simulation: { status: 'UNAVAILABLE', reason: error.message } };
  }
}

/** The part that rejects the operation before execution, with the reason. */
function findRejection(
  { operation }: OperationSimulationRequest,
  verified: readonly SimulatedCall[],
): string | undefined {
  const parts = [...(operation.factory === undefined ? [] : ['the deployment']), 'the account', 'the paymaster'];
  const index = verified.findIndex(({ ok }) => !ok);
  const refused = verified[index];
  return refused === undefined ? undefined : `${parts[index] ?? ''}: ${revertReasonOf(refused)}`;
}

const reverted = (reason: string): SimulationView => ({ status: 'REVERTED', reason });
const revertReasonOf = ({ revertReason }: SimulatedCall): string => revertReason ?? 'failed';
const fallbackGas = ({ threshold }: OperationSimulationRequest): MeasuredGas => ({ ...FALLBACK_GAS, threshold });

const asEntryPoint = (to: Address, data: Hex): SimulatedTransaction => ({ from: ENTRY_POINT, to, data, value: 0n });

/** The call that deploys the account; empty when it is deployed. */
const deployment = ({ factory, factoryData = '0x' }: UserOperationV07): readonly SimulatedTransaction[] =>
  factory === undefined ? [] : [asEntryPoint(factory, factoryData)];

function verify(
  rpc: Simulate,
  { chainId, operation, balance, signal }: OperationSimulationRequest,
): Promise<readonly SimulatedCall[]> {
  const { sender, paymaster } = operation;
  const packed = toPackedUserOperation(operation);
  // The payment to the EntryPoint uses gas at any amount. The override adds 1 wei, so an empty account can make it.
  const missing = paymaster === undefined ? 1n : 0n;
  const own = encodeFunctionData({
    abi: VALIDATION,
    functionName: 'validateUserOp',
    args: [packed, zeroHash, missing],
  });
  const others = encodeFunctionData({
    abi: VALIDATION,
    functionName: 'validatePaymasterUserOp',
    args: [packed, zeroHash, 0n],
  });
  const calls = [
    ...deployment(operation),
    asEntryPoint(sender, own),
    ...(paymaster === undefined ? [] : [asEntryPoint(paymaster, others)]),
  ];
  return rpc.simulate(chainId, calls, { stateOverrides: { [sender]: { balance: balance + missing } }, signal });
}

const execute = (
  rpc: Simulate,
  { chainId, operation, signal }: OperationSimulationRequest,
): Promise<readonly SimulatedCall[]> =>
  rpc.simulate(chainId, [...deployment(operation), asEntryPoint(operation.sender, operation.callData)], { signal });

/** Simulates the calls one by one: a failed batch does not report which call failed. */
async function failedCall(rpc: Simulate, request: OperationSimulationRequest): Promise<string | undefined> {
  const { chainId, operation, calls, signal } = request;
  const results = await rpc.simulate(chainId, [...deployment(operation), ...calls], { signal });
  const own = results.slice(results.length - calls.length);
  const index = own.findIndex(({ ok }) => !ok);
  const failed = own[index];
  if (failed === undefined) return undefined;
  return calls.length === 1
    ? revertReasonOf(failed)
    : `call ${index + 1} of ${calls.length}: ${revertReasonOf(failed)}`;
}

interface PartResults {
  readonly verified: readonly SimulatedCall[];
  readonly executed: readonly SimulatedCall[];
}

/** The measured gas; parts that failed get the fallback value. */
function measured(request: OperationSimulationRequest, { verified, executed }: PartResults): MeasuredGas {
  const { operation, threshold } = request;
  const deploys = operation.factory === undefined ? 0 : 1;
  const gasOf = (result: SimulatedCall | undefined, otherwise: bigint): bigint =>
    result?.ok === true ? result.gasUsed : otherwise;
  return {
    deployment: deploys === 0 ? 0n : gasOf(verified[0], FALLBACK_GAS.deployment),
    validation: gasOf(verified[deploys], FALLBACK_GAS.validation),
    execution: gasOf(executed[deploys], FALLBACK_GAS.execution),
    paymaster: operation.paymaster === undefined ? 0n : gasOf(verified[deploys + 1], FALLBACK_GAS.paymaster),
    threshold,
  };
}
