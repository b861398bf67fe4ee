import { type Address, encodeFunctionData, type Hex, parseAbi, zeroHash } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { isServiceError } from '../../../errors/service-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { SimulationView } from '../../../quotes/quote-view';
import type { Rpc } from '../../../rpc/rpc';
import type { SimulatedCall, SimulatedTransaction } from '../../../rpc/simulate';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { type MeasuredGas, type Operation, UNTRIED_GAS } from './gas-limits';

export interface OperationTrial {
  readonly chainId: number;
  /** With limits and a stub signature: what matters is how long it is. */
  readonly operation: Operation;
  /** What `callData` makes the account do. */
  readonly calls: readonly UnsignedCall[];
  readonly threshold: number;
  readonly balance: bigint;
  readonly signal: AbortSignal;
}

export interface TriedOperation {
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
 * Tries the parts of an operation as the EntryPoint calls them: deployment and validation on the one hand, deployment and
 * execution on the other, and measures each. The signature is not needed for either.
 */
export async function tryOperation(rpc: Simulate, trial: OperationTrial): Promise<TriedOperation> {
  try {
    const [verified, executed] = await Promise.all([verify(rpc, trial), execute(rpc, trial)]);
    const gas = measured(trial, { verified, executed });
    const refusal = refusalOf(trial, verified);
    if (refusal !== undefined) return { gas, simulation: reverted(refusal) };
    const failed = executed.find(({ ok }) => !ok);
    if (failed === undefined) return { gas, simulation: { status: 'SUCCESS', reason: undefined } };
    return { gas, simulation: reverted((await failedCall(rpc, trial)) ?? wordsOf(failed)) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { gas: untried(trial), simulation: { status: 'UNAVAILABLE', reason: error.message } };
  }
}

/** Who refuses the operation before it is executed, and why. */
function refusalOf({ operation }: OperationTrial, verified: readonly SimulatedCall[]): string | undefined {
  const parts = [...(operation.factory === undefined ? [] : ['the deployment']), 'the account', 'the paymaster'];
  const index = verified.findIndex(({ ok }) => !ok);
  const refused = verified[index];
  return refused === undefined ? undefined : `${parts[index] ?? ''}: ${wordsOf(refused)}`;
}

const reverted = (reason: string): SimulationView => ({ status: 'REVERTED', reason });
const wordsOf = ({ revertReason }: SimulatedCall): string => revertReason ?? 'failed';
const untried = ({ threshold }: OperationTrial): MeasuredGas => ({ ...UNTRIED_GAS, threshold });

const asEntryPoint = (to: Address, data: Hex): SimulatedTransaction => ({ from: ENTRY_POINT, to, data, value: 0n });

/** What deploys the account; nothing when it is there. */
const deployment = ({ factory, factoryData = '0x' }: Operation): readonly SimulatedTransaction[] =>
  factory === undefined ? [] : [asEntryPoint(factory, factoryData)];

function verify(
  rpc: Simulate,
  { chainId, operation, balance, signal }: OperationTrial,
): Promise<readonly SimulatedCall[]> {
  const { sender, paymaster } = operation;
  const packed = toPackedUserOperation(operation);
  // Paying the EntryPoint takes gas, whatever the amount: an account that has nothing yet is lent a wei.
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

const execute = (rpc: Simulate, { chainId, operation, signal }: OperationTrial): Promise<readonly SimulatedCall[]> =>
  rpc.simulate(chainId, [...deployment(operation), asEntryPoint(operation.sender, operation.callData)], { signal });

/** A batch does not say which of its calls failed, nor why: makes them one by one. */
async function failedCall(rpc: Simulate, trial: OperationTrial): Promise<string | undefined> {
  const { chainId, operation, calls, signal } = trial;
  const outcomes = await rpc.simulate(chainId, [...deployment(operation), ...calls], { signal });
  const own = outcomes.slice(outcomes.length - calls.length);
  const index = own.findIndex(({ ok }) => !ok);
  const failed = own[index];
  if (failed === undefined) return undefined;
  return calls.length === 1 ? wordsOf(failed) : `call ${index + 1} of ${calls.length}: ${wordsOf(failed)}`;
}

interface Outcomes {
  readonly verified: readonly SimulatedCall[];
  readonly executed: readonly SimulatedCall[];
}

/** What failed was not measured. */
function measured(trial: OperationTrial, { verified, executed }: Outcomes): MeasuredGas {
  const { operation, threshold } = trial;
  const deploys = operation.factory === undefined ? 0 : 1;
  const gasOf = (outcome: SimulatedCall | undefined, otherwise: bigint): bigint =>
    outcome?.ok === true ? outcome.gasUsed : otherwise;
  return {
    deployment: deploys === 0 ? 0n : gasOf(verified[0], UNTRIED_GAS.deployment),
    validation: gasOf(verified[deploys], UNTRIED_GAS.validation),
    execution: gasOf(executed[deploys], UNTRIED_GAS.execution),
    paymaster: operation.paymaster === undefined ? 0n : gasOf(verified[deploys + 1], UNTRIED_GAS.paymaster),
    threshold,
  };
}
