import type { Hex, TransactionReceipt, WaitForTransactionReceiptParameters } from 'viem';

interface ReceiptReader {
  waitForTransactionReceipt(parameters: WaitForTransactionReceiptParameters): Promise<TransactionReceipt>;
}

/**
 * Waits for the receipt of a transaction on a local chain, also while its empty blocks are halted. viem's search for a
 * replacement of the transaction misses a block that arrives during the search, and a halted chain has no next block.
 */
export const minedReceipt = (reader: ReceiptReader, hash: Hex): Promise<TransactionReceipt> =>
  reader.waitForTransactionReceipt({ hash, pollingInterval: 10, checkReplacement: false });
