import type { PublicClient } from 'viem';
import { readReceipt } from '../../rpc/read-receipt';
import { requestEach } from '../../rpc/request-each';
import { hasSafeExecuted } from '../../smart-accounts/safe-transaction';
import type { MatchedTransaction } from './match-transactions';
import { readBlockId } from './read-blocks';
import { isBundle } from './user-operations/bundle';
import { type ExecutedOperation, executedOperations } from './user-operations/executed-operations';

/** What recording needs of a receipt. The logs are left out: those of one block may have megabytes. */
export interface TransactionResult {
  readonly succeeded: boolean;
  /** The user operations that a bundle executed. */
  readonly operations: readonly Pick<ExecutedOperation, 'userOperationHash' | 'sender' | 'nonce' | 'success'>[];
  /** True when the called Safe made its calls; false for other transactions. */
  readonly isExecutedBySafe: boolean;
}

/** The receipts of mined transactions, by hash. */
export interface Receipts {
  readonly read: ReadonlyMap<string, TransactionResult>;
  /** Why a receipt could not be read, although its block is on the chain and the node responds to other requests. */
  readonly failed: ReadonlyMap<string, unknown>;
}

/** Receipts requested at the same time. */
const RECEIPTS_PER_ROUND = 100;

/** The node does not have the receipt of a transaction that is in one of its blocks. */
class MissingReceiptError extends Error {
  override readonly name = 'MissingReceiptError';
}

type Mined = Pick<MatchedTransaction, 'transaction' | 'block'>;

/**
 * Reads one receipt for each transaction.
 *
 * `undefined` when a block is no longer on the chain. @throws when the node does not respond at all
 */
export async function readReceipts(client: PublicClient, mined: readonly Mined[]): Promise<Receipts | undefined> {
  const unique = [...new Map(mined.map((each) => [each.transaction.hash, each])).values()];
  const read = new Map<string, TransactionResult>();
  const failed = new Map<string, unknown>();
  for (let start = 0; start < unique.length; start += RECEIPTS_PER_ROUND) {
    const round = unique.slice(start, start + RECEIPTS_PER_ROUND);
    const results = await requestEach(round.map((each) => (signal?: AbortSignal) => readOne(client, each, signal)));
    for (const [index, { transaction, block }] of round.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') read.set(transaction.hash, result.value);
      else if ((await readBlockId(client, block.number))?.hash !== block.hash) return undefined;
      else failed.set(transaction.hash, result?.reason);
    }
  }
  return { read, failed };
}

async function readOne(
  client: PublicClient,
  { transaction, block }: Mined,
  signal: AbortSignal | undefined,
): Promise<TransactionResult> {
  const receipt = await readReceipt(client, transaction.hash, signal);
  if (receipt?.blockHash !== block.hash) {
    throw new MissingReceiptError('the node has no receipt of the transaction in its block');
  }
  const executed = isBundle(transaction) ? executedOperations(receipt) : [];
  const operations = executed.map(({ userOperationHash, sender, nonce, success }) => ({
    userOperationHash,
    sender,
    nonce,
    success,
  }));
  const isExecutedBySafe = hasSafeExecuted(receipt, transaction.to);
  return { succeeded: receipt.status === 'success', operations, isExecutedBySafe };
}
