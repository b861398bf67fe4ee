import type { PublicClient } from 'viem';

/** Current gas prices, in wei. */
export interface FeeData {
  /** Expected price for a transaction sent now. */
  readonly expectedFeePerGas: bigint;
  /** Maximum to offer, which allows the base fee to double. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** On a chain without a base fee all three values are the gas price. */
export async function readFeeData(client: PublicClient): Promise<FeeData> {
  const [block, gasPrice] = await Promise.all([client.getBlock({ includeTransactions: false }), client.getGasPrice()]);
  if (block.baseFeePerGas === null) {
    return { expectedFeePerGas: gasPrice, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
  }
  // Nodes suggest base fee plus tip as the gas price; not every node supports eth_maxPriorityFeePerGas.
  const tip = gasPrice > block.baseFeePerGas ? gasPrice - block.baseFeePerGas : 0n;
  return {
    expectedFeePerGas: block.baseFeePerGas + tip,
    maxFeePerGas: block.baseFeePerGas * 2n + tip,
    maxPriorityFeePerGas: tip,
  };
}
