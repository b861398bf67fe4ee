import { type Address, parseAbi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { bytesOf, type Operation } from './gas-limits';

/** Tells on chains built on the OP stack what their data costs on the chain that they publish it on. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
const oracle = parseAbi(['function getL1Fee(bytes data) view returns (uint256)']);

export interface DataGasQuestion {
  readonly chainId: number;
  readonly operation: Operation;
  /** What a unit of gas is expected to cost, in wei. */
  readonly feePerGas: bigint;
  readonly signal: AbortSignal;
}

/**
 * What publishing an operation costs, as gas units that bundlers ask for in `preVerificationGas`, a quarter more than
 * now; nothing on chains that are not built on the OP stack.
 *
 * @see https://docs.optimism.io/op-stack/transactions/fees
 */
export async function dataGas(rpc: Pick<Rpc, 'multicall'>, question: DataGasQuestion): Promise<bigint> {
  const { chainId, operation, feePerGas, signal } = question;
  const args = [bytesOf(operation)] as const;
  const [fee = 0n] = await rpc.multicall(
    chainId,
    [contractRead({ address: GAS_PRICE_ORACLE, abi: oracle, functionName: 'getL1Fee', args })],
    { signal },
  );
  return feePerGas === 0n ? 0n : (fee * 5n) / (feePerGas * 4n);
}
