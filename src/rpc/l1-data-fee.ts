import { type Address, encodeFunctionData, type Hex, hexToBigInt, parseAbi } from 'viem';
import type { Rpc } from './rpc';
import { isExecutionFailure } from './rpc-failure';

/** Predeployed contract of OP stack chains that returns the L1 fee for data. */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
export const gasPriceOracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)']);

const WORD_HEX_LENGTH = 66;

/**
 * The L1 data fee of an unsigned, serialized transaction in wei, with a margin of a quarter. 0 on chains outside the OP
 * stack.
 *
 * @throws PROVIDER_UNAVAILABLE
 * @see https://docs.optimism.io/op-stack/transactions/fees
 */
export async function readL1DataFee(rpc: Pick<Rpc, 'request'>, chainId: number, serialized: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: gasPriceOracleAbi, functionName: 'getL1Fee', args: [serialized] });
  const fee = await rpc.request(chainId, async (client) => {
    try {
      return (await client.call({ to: GAS_PRICE_ORACLE, data })).data;
    } catch (error) {
      if (isExecutionFailure(error)) return undefined;
      throw error;
    }
  });
  return fee?.length === WORD_HEX_LENGTH ? (hexToBigInt(fee) * 5n) / 4n : 0n;
}
