import { type Address, parseAbi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { encodeOperation, type UserOperationV07 } from './gas-limits';

/** Predeployed contract of OP stack chains that returns the L1 fee for data. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
const oracle = parseAbi(['function getL1Fee(bytes data) view returns (uint256)']);

/**
 * The L1 data fee of an operation in gas units, which bundlers require in `preVerificationGas`, with a margin of a quarter.
 * 0 on chains outside the OP stack. `feePerGas` is the expected price of a gas unit, in wei.
 *
 * @see https://docs.optimism.io/op-stack/transactions/fees
 */
export async function estimateL1DataGas(
  rpc: Pick<Rpc, 'multicall'>,
  {
    chainId,
    operation,
    feePerGas,
    signal,
  }: {
    readonly chainId: number;
    readonly operation: UserOperationV07;
    readonly feePerGas: bigint;
    readonly signal: AbortSignal;
  },
): Promise<bigint> {
  const args = [encodeOperation(operation)] as const;
  const [fee = 0n] = await rpc.multicall(
    chainId,
    [contractRead({ address: GAS_PRICE_ORACLE, abi: oracle, functionName: 'getL1Fee', args })],
    { signal },
  );
  return feePerGas === 0n ? 0n : (fee * 5n) / (feePerGas * 4n);
}
