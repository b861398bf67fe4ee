import { type Address, concatHex, getTypesForEIP712Domain, type Hex, numberToHex, slice } from 'viem';
import {
  formatUserOperationRequest,
  getUserOperationHash,
  type RpcUserOperation,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { ENTRY_POINT, SAFE } from '../../../smart-accounts/safe-contracts';
import type { UserOperationV07 } from './gas-limits';

/** Validity of the account's signature, in Unix seconds. `validUntil` 0: no expiry. */
export interface SignatureValidity {
  readonly validAfter: number;
  readonly validUntil: number;
}

/** The typed data that the owner signs with eth_signTypedData_v4. Numbers are decimal strings. */
export interface SafeOperationTypedData {
  readonly domain: { readonly chainId: number; readonly verifyingContract: Address };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: 'SafeOp';
  readonly message: Readonly<Record<string, string | number>>;
}

/**
 * An unsigned user operation as shown to callers: the fields of `eth_sendUserOperation` with hexadecimal numbers, and in
 * addition the EntryPoint, the hash and the typed data to sign.
 *
 * `signature` is a stub: twelve bytes with the validity, which stay, and then 65 bytes for each owner that has to sign. The
 * caller replaces these by the signatures of `typedData`, sorted by the owners' addresses.
 */
export type UserOperationView = RpcUserOperation<'0.7'> & {
  readonly chainId: number;
  readonly entryPoint: Address;
  readonly userOperationHash: Hex;
  readonly typedData: SafeOperationTypedData;
};

interface UnsignedOperation extends SignatureValidity {
  readonly chainId: number;
  readonly operation: UserOperationV07;
}

export function userOperationView({ chainId, operation, ...validity }: UnsignedOperation): UserOperationView {
  return {
    ...(formatUserOperationRequest(operation) as RpcUserOperation<'0.7'>),
    chainId,
    entryPoint: ENTRY_POINT,
    userOperationHash: getUserOperationHash({
      chainId,
      entryPointAddress: ENTRY_POINT,
      entryPointVersion: '0.7',
      userOperation: operation,
    }),
    typedData: safeOperation({ chainId, operation, ...validity }),
  };
}

/** Prepends the validity to the signatures. */
export const timedSignature = ({ validAfter, validUntil }: SignatureValidity, stub: Hex): Hex =>
  concatHex([numberToHex(validAfter, { size: 6 }), numberToHex(validUntil, { size: 6 }), slice(stub, 12)]);

const SAFE_OPERATION = [
  { type: 'address', name: 'safe' },
  { type: 'uint256', name: 'nonce' },
  { type: 'bytes', name: 'initCode' },
  { type: 'bytes', name: 'callData' },
  { type: 'uint128', name: 'verificationGasLimit' },
  { type: 'uint128', name: 'callGasLimit' },
  { type: 'uint256', name: 'preVerificationGas' },
  { type: 'uint128', name: 'maxPriorityFeePerGas' },
  { type: 'uint128', name: 'maxFeePerGas' },
  { type: 'bytes', name: 'paymasterAndData' },
  { type: 'uint48', name: 'validAfter' },
  { type: 'uint48', name: 'validUntil' },
  { type: 'address', name: 'entryPoint' },
] as const;

/** @see https://github.com/safe-global/safe-modules/blob/main/modules/4337/contracts/Safe4337Module.sol */
function safeOperation({ chainId, operation, validAfter, validUntil }: UnsignedOperation): SafeOperationTypedData {
  const { initCode, paymasterAndData } = toPackedUserOperation(operation);
  const { sender, nonce, callData, verificationGasLimit, callGasLimit, preVerificationGas } = operation;
  const domain = { chainId, verifyingContract: SAFE.module4337 };
  return {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), SafeOp: SAFE_OPERATION },
    primaryType: 'SafeOp',
    message: {
      safe: sender,
      nonce: nonce.toString(),
      initCode,
      callData,
      verificationGasLimit: verificationGasLimit.toString(),
      callGasLimit: callGasLimit.toString(),
      preVerificationGas: preVerificationGas.toString(),
      maxPriorityFeePerGas: operation.maxPriorityFeePerGas.toString(),
      maxFeePerGas: operation.maxFeePerGas.toString(),
      paymasterAndData,
      validAfter,
      validUntil,
      entryPoint: ENTRY_POINT,
    },
  };
}
