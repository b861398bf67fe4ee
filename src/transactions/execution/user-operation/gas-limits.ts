import { encodeAbiParameters, getAbiItem, type Hex, hexToBytes } from 'viem';
import { entryPoint07Abi, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction';

export type Operation = UserOperation<'0.7'>;

/** Gas units that the parts of a user operation may use. */
export interface GasLimits {
  readonly callGasLimit: bigint;
  /** Deployment and signature. */
  readonly verificationGasLimit: bigint;
  /** What the bundler is paid for what the EntryPoint does not measure. */
  readonly preVerificationGas: bigint;
  /** Only with a paymaster. */
  readonly paymasterVerificationGasLimit?: bigint;
}

/** Gas that the parts used as transactions of their own, each with the fixed cost of one. */
export interface MeasuredGas {
  readonly deployment: bigint;
  readonly validation: bigint;
  readonly execution: bigint;
  readonly paymaster: bigint;
  /** Owners whose signatures are checked: measured with one that is not valid, behind which no other is looked at. */
  readonly threshold: number;
}

/** Work of the EntryPoint that counts as verification: copying, hashing, a first nonce, the call of the factory. */
const ENTRY_POINT_WORK = 40_000n;
const GAS_OF_SIGNATURE = 10_000n;

/** When nothing could be tried: enough for a swap over several pools by an account that is deployed on the way. */
export const UNTRIED_GAS: MeasuredGas = {
  deployment: 300_000n,
  validation: 120_000n,
  execution: 600_000n,
  paymaster: 60_000n,
  threshold: 1,
};

/** The limits with room for what was not measured: prices move, and refunds come only after the gas was there. */
export function gasLimits(measured: MeasuredGas): Omit<Required<GasLimits>, 'preVerificationGas'> {
  const { deployment, validation, execution, paymaster, threshold } = measured;
  const verification = deployment + validation + ENTRY_POINT_WORK + GAS_OF_SIGNATURE * BigInt(threshold);
  return {
    // An approval that is used up gives back a fifth, and each inner call keeps a 64th from the next.
    callGasLimit: (execution * 7n) / 5n,
    verificationGasLimit: (verification * 6n) / 5n,
    paymasterVerificationGasLimit: (paymaster * 6n) / 5n,
  };
}

/** As bundlers count: a bundle's fixed cost, a fixed cost for each operation in it, and its bytes. */
const BUNDLE_GAS = 21_000n;
const OPERATION_GAS = 18_300n;
const WORD_GAS = 4n;
const ZERO_BYTE_GAS = 4n;
const BYTE_GAS = 16n;

/**
 * Gas that a bundler asks for on top of what the EntryPoint measures, for a bundle of one operation.
 *
 * @see https://github.com/eth-infinitism/bundler/blob/main/packages/sdk/src/calcPreVerificationGas.ts
 */
export function preVerificationGas(operation: Operation): bigint {
  const bytes = hexToBytes(bytesOf(operation));
  const zeros = BigInt(bytes.filter((byte) => byte === 0).length);
  const length = BigInt(bytes.length);
  const data = zeros * ZERO_BYTE_GAS + (length - zeros) * BYTE_GAS;
  return BUNDLE_GAS + OPERATION_GAS + data + WORD_GAS * ((length + 31n) / 32n);
}

const GET_HASH = getAbiItem({ abi: entryPoint07Abi, name: 'getUserOpHash' });

/** An operation as it is in the calldata of its bundle. */
export const bytesOf = (operation: Operation): Hex =>
  encodeAbiParameters(GET_HASH.inputs, [toPackedUserOperation(operation)]);

/** Gas units of the whole operation. */
export const totalGas = (operation: Operation): bigint =>
  operation.preVerificationGas +
  operation.verificationGasLimit +
  operation.callGasLimit +
  (operation.paymasterVerificationGasLimit ?? 0n) +
  (operation.paymasterPostOpGasLimit ?? 0n);

/** What the EntryPoint takes in advance from whoever pays, in wei. */
export const prefundOf = (operation: Operation): bigint => totalGas(operation) * operation.maxFeePerGas;
