import { type AccountOperation, type BatchStart, batchKey } from './operation-logs';
import type { BlockTransfers } from './read-transfers';

type Operations = Pick<BlockTransfers, 'operations' | 'batchStarts' | 'header' | 'isOfOneWallet'>;

/** A side of a transfer of tokens. */
export interface TransferSide {
  readonly txHash: string;
  readonly logIndex: number;
  /** The sender or the receiver. */
  readonly account: string;
  readonly isReceived: boolean;
}

/** A block whose operations can be searched. */
export interface SearchableBlock extends BlockTransfers {
  /**
   * The operation of an account that made a transfer; `undefined` for a transfer that none made.
   *
   * An operation ends with its event, after its transfers: the next end of an operation of the account in the same transaction
   * is its own. A user operation may use a module of a Safe: it is the outer one. Tokens that an account receives may be from
   * another operation of the same bundle, whose end is between.
   */
  readonly findOperation: (side: TransferSide) => AccountOperation | undefined;
  /** Number of operations, and begins of batches, that are left out: they are too many to be searched. */
  readonly leftOut: number;
}

/**
 * Any contract emits such events: a block with more of them is searched for none. Its movements are complete all the same: their
 * operations are missing only.
 */
export const MAX_OPERATIONS_PER_BLOCK = 100_000;

/** Prepares the search for the operations of a block, which any account can make numerous: a search takes logarithmic time. */
export function searchable(block: BlockTransfers): SearchableBlock {
  const count = block.operations.length + block.batchStarts.length;
  if (count <= MAX_OPERATIONS_PER_BLOCK) return { ...block, findOperation: operationFinder(block), leftOut: 0 };
  return { ...block, operations: [], batchStarts: [], findOperation: () => undefined, leftOut: count };
}

/** Events by what they belong to, in the order of the block. */
type Index<Event> = ReadonlyMap<string, readonly Event[]>;

interface OperationIndex {
  /** All ends of operations, those of user operations, and begins of batches: by transaction and account. */
  readonly ends: Index<AccountOperation>;
  readonly userEnds: Index<AccountOperation>;
  readonly batchStarts: Index<BatchStart>;
  /** The ends of user operations by transaction and EntryPoint. */
  readonly bundles: Index<AccountOperation>;
}

/** Searches the operations of a block. */
export function operationFinder(block: Operations): SearchableBlock['findOperation'] {
  const userOperations = block.operations.filter(({ kind }) => kind === 'userOperation');
  const index: OperationIndex = {
    ends: indexBy(block.operations, accountKey),
    userEnds: indexBy(userOperations, accountKey),
    batchStarts: indexBy(block.batchStarts, accountKey),
    bundles: indexBy(userOperations, bundleKey),
  };
  return (side) => {
    // The transaction itself sends coin.
    if (side.logIndex < 0) return undefined;
    const end = nextEnd(index, side);
    if (end === undefined || mayBeOfOther(block, index, { side, end })) return undefined;
    return end.kind === 'safe' && isBatch(block, index, end) ? { ...end, kind: 'safeBatch' } : end;
  };
}

type Place = Pick<AccountOperation, 'txHash' | 'account'>;

const accountKey = ({ txHash, account }: Place): string => `${txHash} ${account}`;
const bundleKey = ({ txHash, contract }: AccountOperation): string => `${txHash} ${contract}`;

function indexBy<Event extends BatchStart>(events: readonly Event[], keyOf: (event: Event) => string): Index<Event> {
  const index = new Map<string, Event[]>();
  for (const event of events) {
    const key = keyOf(event);
    const others = index.get(key);
    if (others === undefined) index.set(key, [event]);
    else others.push(event);
  }
  for (const own of index.values()) own.sort((one, other) => one.logIndex - other.logIndex);
  return index;
}

/** The number of events in front of a place in the block. */
function countBefore(events: readonly BatchStart[], logIndex: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.logIndex ?? 0) < logIndex) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next end of an operation of the account after the transfer: of a user operation, if one follows. */
function nextEnd({ ends, userEnds }: OperationIndex, side: TransferSide): AccountOperation | undefined {
  const key = accountKey(side);
  const next = (own: readonly AccountOperation[] = []) => own[countBefore(own, side.logIndex)];
  return next(userEnds.get(key)) ?? next(ends.get(key));
}

/**
 * True when the operation of another account in the same bundle may have sent the tokens. `end` is the next one of its account:
 * those between are of others.
 */
function mayBeOfOther(
  { isOfOneWallet }: Operations,
  { bundles }: OperationIndex,
  { side, end }: { readonly side: TransferSide; readonly end: AccountOperation },
): boolean {
  if (!side.isReceived || end.kind !== 'userOperation') return false;
  if (isOfOneWallet === true) return true;
  const bundle = bundles.get(bundleKey(end)) ?? [];
  const next = bundle[countBefore(bundle, side.logIndex + 1)];
  return next !== undefined && next.logIndex < end.logIndex;
}

/** By the calldata of the transaction, or the event of a Safe for L2 chains. */
function isBatch({ header }: Operations, { ends, batchStarts }: OperationIndex, end: AccountOperation): boolean {
  if (header.batches.has(batchKey(end.txHash, end.account))) return true;
  const key = accountKey(end);
  const [own, starts] = [ends.get(key) ?? [], batchStarts.get(key) ?? []];
  const previousEnd = own[countBefore(own, end.logIndex) - 1]?.logIndex ?? -1;
  const start = starts[countBefore(starts, end.logIndex) - 1];
  return start !== undefined && start.logIndex > previousEnd;
}
