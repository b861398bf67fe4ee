import { type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

/** The receipt of a transaction, `undefined` when it is not mined. */
export async function readReceipt(client: PublicClient, txHash: string): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash: txHash as `0x${string}` });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
