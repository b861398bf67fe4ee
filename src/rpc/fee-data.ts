import type { PublicClient } from 'viem';

/** What a unit of gas costs now, in wei. */
export interface FeeData {
  /** What a transaction sent now is expected to pay. */
  readonly expectedFeePerGas: bigint;
  /** The most it should offer, so that the base fee may double meanwhile. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** On a chain without a base fee, the three are the gas price. */
export async function readFeeData(client: PublicClient): Promise<FeeData> {
  const [block, gasPrice] = await Promise.all([client.getBlock({ includeTransactions: false }), client.getGasPrice()]);
  if (block.baseFeePerGas === null) {
    return { expectedFeePerGas: gasPrice, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
  }
  // Nodes suggest base fee plus tip as the gas price; eth_maxPriorityFeePerGas is not served everywhere.
  const tip = gasPrice > block.baseFeePerGas ? gasPrice - block.baseFeePerGas : 0n;
  return {
    expectedFeePerGas: block.baseFeePerGas + tip,
    maxFeePerGas: block.baseFeePerGas * 2n + tip,
    maxPriorityFeePerGas: tip,
  };
}
