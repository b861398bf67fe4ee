import {
  type Abi,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionParameters,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type EncodeFunctionDataParameters,
  type Hex,
} from 'viem';

/** A read-only call and the decoder of its result. */
export interface ContractRead<Result> {
  readonly to: Address;
  readonly data: Hex;
  /** Throws when the result does not match the ABI. */
  decode(result: Hex): Result;
}

/** A read of one contract function; the ABI determines the type of the result. */
export function contractRead<
  const abi extends Abi,
  name extends ContractFunctionName<abi>,
  const args extends ContractFunctionArgs<abi, AbiStateMutability, name>,
>(
  call: ContractFunctionParameters<abi, AbiStateMutability, name, args>,
): ContractRead<ContractFunctionReturnType<abi, AbiStateMutability, name, args>> {
  const { address, abi, functionName, args } = call as { address: Address } & EncodeFunctionDataParameters;
  return {
    to: address,
    data: encodeFunctionData({ abi, functionName, args }),
    decode: (data) => decodeFunctionResult({ abi, functionName, args, data }) as never,
  };
}
