import type { Address, Hex, Log, PublicClient } from 'viem';
import { rejectOnAbort } from '../../async/race-abort';
import { isRangeRefused } from '../../rpc/log-range-limit';
import { readReceipt } from '../../rpc/read-receipt';
import { isTooLarge } from '../../rpc/rpc-failure';
import { addressTopic } from '../protocols/receipt-transfers';
import type { PositionChange } from '../protocols/protocol';
import { type TransactionWithLogs, UnusableResponseError } from './read-transactions-with-logs';

/**
 * The logs of some contracts in a transaction. Any account can put a transfer to a wallet into a transaction with thousands of other
 * logs: when its receipt is too large, the logs of these contracts in its block are read instead. `undefined` when they are
 * too large as well.
 *
 * @throws UnusableResponseError when the blocks change meanwhile; the error of the node or the transport
 */
export async function readLogs(
  client: PublicClient,
  transaction: TransactionWithLogs,
  { contracts, signal }: { readonly contracts: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<readonly Log[] | undefined> {
  const { txHash, blockHash } = transaction;
  const logs = await readReceiptLogs(client, transaction, signal);
  if (logs !== 'too large') return logs.filter(({ address }) => contracts.has(address.toLowerCase()));
  try {
    const request = client.getLogs({ address: [...contracts] as Address[], blockHash });
    return (await rejectOnAbort(request, signal)).filter(
      (log) =>
        log.transactionHash.toLowerCase() === txHash &&
        log.blockHash.toLowerCase() === blockHash &&
        contracts.has(log.address.toLowerCase()),
    );
  } catch (error) {
    if (isTooLarge(error) || isRangeRefused(error)) return undefined;
    throw error;
  }
}

async function readReceiptLogs(
  client: PublicClient,
  { txHash, blockHash }: TransactionWithLogs,
  signal: AbortSignal,
): Promise<readonly Log[] | 'too large'> {
  try {
    const receipt = await rejectOnAbort(readReceipt(client, txHash), signal);
    if (receipt?.blockHash.toLowerCase() === blockHash) return receipt.logs;
  } catch (error) {
    if (isTooLarge(error)) return 'too large';
    throw error;
  }
  throw new UnusableResponseError('the node has no receipt of the transaction in its block');
}

/** Changes of unknown worth: the transfers of a receipt token that were found in a transaction whose logs cannot be read. */
export function unreadChanges(
  { logs, txHash, blockHash, blockNumber }: TransactionWithLogs,
  { wallet, receipt }: { readonly wallet: Address; readonly receipt: string },
): readonly PositionChange[] {
  const own = addressTopic(wallet);
  return logs.flatMap(({ address, topics, logIndex }): readonly PositionChange[] => {
    const [, from, to] = topics as readonly (Hex | undefined)[];
    if (address !== receipt.toLowerCase() || from === to) return [];
    const kind = from === own ? 'transferOut' : 'transferIn';
    const unknown = { shares: undefined, assets: undefined, sharePriceRay: undefined };
    return [{ kind, ...unknown, txHash, blockHash, blockNumber, logIndex }];
  });
}
