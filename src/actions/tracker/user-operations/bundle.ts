import { decodeFunctionData, type Hex, keccak256, type Transaction } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { isSameAddress } from '../../../chains/addresses';

/** A user operation as a bundle holds it. */
export interface BundledOperation {
  /** Lower case, as calls are registered. */
  readonly sender: string;
  readonly nonce: bigint;
  readonly callData: Hex;
  /** Keccak-256 of the calldata. */
  readonly dataHash: Buffer;
  readonly callGasLimit: bigint;
}

type PossibleBundle = Pick<Transaction, 'to' | 'input'>;

export const isBundle = ({ to }: PossibleBundle): boolean => isSameAddress(to, ENTRY_POINT);

/** The operations that a transaction passes to the EntryPoint, in their order; empty for any other transaction. */
export function operationsIn(transaction: PossibleBundle): readonly BundledOperation[] {
  return isBundle(transaction) ? packedOperationsIn(transaction.input).map(bundled) : [];
}

interface PackedOperation {
  readonly sender: string;
  readonly nonce: bigint;
  readonly callData: Hex;
  /** Verification in the upper half, execution in the lower one. */
  readonly accountGasLimits: Hex;
}

function packedOperationsIn(input: Hex): readonly PackedOperation[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: entryPoint07Abi, data: input });
    if (functionName === 'handleOps') return args[0];
    return functionName === 'handleAggregatedOps' ? args[0].flatMap(({ userOps }) => userOps) : [];
  } catch {
    return []; // any account can send malformed calldata to the EntryPoint
  }
}

const bundled = ({ sender, nonce, callData, accountGasLimits }: PackedOperation): BundledOperation => ({
  sender: sender.toLowerCase(),
  nonce,
  callData,
  dataHash: Buffer.from(keccak256(callData, 'bytes')),
  callGasLimit: BigInt(accountGasLimits) & (2n ** 128n - 1n),
});
