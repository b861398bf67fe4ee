import { contractRead } from '../../../rpc/contract-read';
import { GAS_PRICE_ORACLE, gasPriceOracleAbi } from '../../../rpc/l1-data-fee';
import type { Rpc } from '../../../rpc/rpc';
import { encodeOperation, type UserOperationV07 } from './gas-limits';

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
    [contractRead({ address: GAS_PRICE_ORACLE, abi: gasPriceOracleAbi, functionName: 'getL1Fee', args })],
    { signal },
  );
  return feePerGas === 0n ? 0n : (fee * 5n) / (feePerGas * 4n);
}
