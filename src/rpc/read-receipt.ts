import { formatTransactionReceipt, type Hex, type PublicClient, type TransactionReceipt } from 'viem';

/** The receipt of another transaction than the requested one. */
class ForeignReceiptError extends Error {
  override readonly name = 'ForeignReceiptError';
}

/**
 * The receipt of a transaction, `undefined` when it is not mined. With a signal of its own the request is not sent in a
 * batch with others.
 */
export async function readReceipt(
  client: PublicClient,
  txHash: string,
  signal?: AbortSignal,
): Promise<TransactionReceipt | undefined> {
  const response = await client.request(
    { method: 'eth_getTransactionReceipt', params: [txHash as Hex] },
    signal === undefined ? {} : { signal },
  );
  if (response === null) return undefined;
  if (response.transactionHash.toLowerCase() !== txHash.toLowerCase()) {
    throw new ForeignReceiptError('the node returned the receipt of another transaction');
  }
  return formatTransactionReceipt(response, 'getTransactionReceipt');
}
