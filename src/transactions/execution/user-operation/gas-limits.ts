import { encodeAbiParameters, getAbiItem, type Hex, hexToBytes } from 'viem';
import { entryPoint07Abi, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction';

export type UserOperationV07 = UserOperation<'0.7'>;

/** Gas limits of the parts of a user operation. */
export interface GasLimits {
  readonly callGasLimit: bigint;
  /** Deployment of the account and check of its signatures. */
  readonly verificationGasLimit: bigint;
  /** Gas paid to the bundler for work that the EntryPoint does not measure. */
  readonly preVerificationGas: bigint;
  /** Only with a paymaster. */
  readonly paymasterVerificationGasLimit?: bigint;
}

/** Gas used by the parts when simulated as separate transactions, each including the fixed cost of a transaction. */
export interface MeasuredGas {
  readonly deployment: bigint;
  readonly validation: bigint;
  readonly execution: bigint;
  readonly paymaster: bigint;
  /** Number of signatures to check. The simulation has an invalid signature, so it measures only the first. */
  readonly threshold: number;
}

/** Verification gas of the EntryPoint itself: copying, hashing, a first nonce, the call of the factory. */
const ENTRY_POINT_WORK = 40_000n;
const GAS_OF_SIGNATURE = 10_000n;

/** For operations that could not be simulated: enough to deploy the account and swap over several pools. */
export const FALLBACK_GAS: MeasuredGas = {
  deployment: 300_000n,
  validation: 120_000n,
  execution: 600_000n,
  paymaster: 60_000n,
  threshold: 1,
};

/** The limits, with margins: prices move, and gas refunds are paid only after execution. */
export function gasLimits(measured: MeasuredGas): Omit<Required<GasLimits>, 'preVerificationGas'> {
  const { deployment, validation, execution, paymaster, threshold } = measured;
  const verification = deployment + validation + ENTRY_POINT_WORK + GAS_OF_SIGNATURE * BigInt(threshold);
  return {
    // A used-up approval refunds up to a fifth, and each inner call withholds a 64th from the next.
    callGasLimit: (execution * 7n) / 5n,
    verificationGasLimit: (verification * 6n) / 5n,
    paymasterVerificationGasLimit: (paymaster * 6n) / 5n,
  };
}

/** Gas as counted by bundlers: fixed per bundle, fixed per operation, and per byte. */
const BUNDLE_GAS = 21_000n;
const OPERATION_GAS = 18_300n;
const WORD_GAS = 4n;
const ZERO_BYTE_GAS = 4n;
const BYTE_GAS = 16n;

/**
 * Gas that a bundler requires in addition to the gas measured by the EntryPoint, for a bundle of one operation.
 *
 * @see https://github.com/eth-infinitism/bundler/blob/main/packages/sdk/src/calcPreVerificationGas.ts
 */
export function preVerificationGas(operation: UserOperationV07): bigint {
  const bytes = hexToBytes(encodeOperation(operation));
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length);
  const length = BigInt(bytes.length);
  const data = zeros * ZERO_BYTE_GAS + (length - zeros) * BYTE_GAS;
  return BUNDLE_GAS + OPERATION_GAS + data + WORD_GAS * ((length + 31n) / 32n);
}

const GET_HASH = getAbiItem({ abi: entryPoint07Abi, name: 'getUserOpHash' });

/** An operation as encoded in the calldata of its bundle. */
export const encodeOperation = (operation: UserOperationV07): Hex =>
  encodeAbiParameters(GET_HASH.inputs, [toPackedUserOperation(operation)]);

/** Sum of all gas limits of the operation. */
export const totalGas = (operation: UserOperationV07): bigint =>
  operation.preVerificationGas +
  operation.verificationGasLimit +
  operation.callGasLimit +
  (operation.paymasterVerificationGasLimit ?? 0n) +
  (operation.paymasterPostOpGasLimit ?? 0n);

/** The prefund that the EntryPoint takes from the account or paymaster, in wei. */
export const requiredPrefund = (operation: UserOperationV07): bigint => totalGas(operation) * operation.maxFeePerGas;
