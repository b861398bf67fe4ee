import { type AccountOperation, batchKey } from './operation-logs';
import type { BlockTransfers } from './read-transfers';

type Operations = Pick<BlockTransfers, 'operations' | 'batchStarts' | 'header' | 'isOfOneWallet'>;

/** A side of a transfer of tokens. */
interface TransferSide {
  readonly txHash: string;
  readonly logIndex: number;
  /** The sender or the receiver. */
  readonly account: string;
  readonly isReceived: boolean;
}

/**
 * The operation of an account that made a transfer; `undefined` for a transfer that none made.
 *
 * An operation ends with its event, after its transfers: the next end of an operation of the account in the same transaction
 * is its own. A user operation may use a module of a Safe: it is the outer one. Tokens that an account receives may be from another
 * operation of the same bundle, whose end is between.
 */
export function findOperation(block: Operations, side: TransferSide): AccountOperation | undefined {
  // The transaction itself sends coin.
  if (side.logIndex < 0) return undefined;
  const end = nextEnd(block, side);
  if (end === undefined || mayBeOfOther(block, side, end)) return undefined;
  return end.kind === 'safe' && isBatch(block, end) ? { ...end, kind: 'safeBatch' } : end;
}

/** The next end of an operation of the account after the transfer: of a user operation, if one follows. */
function nextEnd({ operations }: Operations, side: TransferSide): AccountOperation | undefined {
  let end: AccountOperation | undefined;
  for (const each of operations) {
    if (!isOf(each, side) || each.logIndex < side.logIndex) continue;
    if (end === undefined || isPreferred(each, end)) end = each;
  }
  return end;
}

/** True when the operation of another account in the same bundle may have sent the tokens. */
function mayBeOfOther(block: Operations, side: TransferSide, end: AccountOperation): boolean {
  if (!side.isReceived || end.kind !== 'userOperation') return false;
  if (block.isOfOneWallet === true) return true;
  return block.operations.some(
    ({ kind, txHash, contract, account, logIndex }) =>
      kind === 'userOperation' &&
      txHash === end.txHash &&
      contract === end.contract &&
      account !== end.account &&
      logIndex > side.logIndex &&
      logIndex < end.logIndex,
  );
}

type Place = Pick<AccountOperation, 'txHash' | 'account'>;

const isOf = (operation: Place, { txHash, account }: Place): boolean =>
  operation.txHash === txHash && operation.account === account;

/** The nearest user operation, otherwise the nearest operation. */
function isPreferred(one: AccountOperation, other: AccountOperation): boolean {
  const [isUserOperation, isOtherUserOperation] = [one.kind === 'userOperation', other.kind === 'userOperation'];
  return isUserOperation === isOtherUserOperation ? one.logIndex < other.logIndex : isUserOperation;
}

/** By the calldata of the transaction, or the event of a Safe for L2 chains. */
function isBatch({ operations, batchStarts, header }: Operations, end: AccountOperation): boolean {
  if (header.batches.has(batchKey(end.txHash, end.account))) return true;
  const previousEnd = operations.reduce(
    (newest, each) => (isOf(each, end) && each.logIndex < end.logIndex ? Math.max(newest, each.logIndex) : newest),
    -1,
  );
  return batchStarts.some((start) => isOf(start, end) && start.logIndex > previousEnd && start.logIndex < end.logIndex);
}
