import type { Database } from '../../../persistence/database';
import { type FoundTransaction, type OpenCall, openCallsOf } from '../match-calls';
import type { MinedBlock } from '../read-blocks';
import { type BundledOperation, isBundle, operationsIn } from './bundle';

/** An open call that an operation of a bundle is, to the last byte. Whether it was executed the receipt tells. */
export interface FoundOperation extends FoundTransaction {
  readonly operation: BundledOperation;
}

/**
 * The open user operations that bundles of these blocks hold, in the order of the chain. Where several actions wait for
 * the same operation, each is named, the oldest first: it executes one of them.
 */
export async function matchOperations(
  database: Database,
  chainId: number,
  blocks: readonly MinedBlock[],
): Promise<readonly FoundOperation[]> {
  const bundles = blocks.flatMap((block) =>
    block.transactions.filter(isBundle).map((transaction) => ({ transaction, block })),
  );
  if (bundles.length === 0 || !(await hasOpenOperations(database, chainId))) return [];
  const mined = bundles.flatMap(({ transaction, block }) =>
    operationsIn(transaction).map((operation) => ({ transaction, block, operation })),
  );
  const senders = new Set(mined.map(({ operation }) => operation.sender));
  const open = await openCallsOf(database, { chainId, form: 'USER_OPERATION', senders: [...senders] });
  return mined.flatMap((each) =>
    open.filter((call) => isSame(call, each.operation)).map((call) => ({ call, ...each })),
  );
}

const isSame = ({ sender, dataHash }: OpenCall, operation: BundledOperation): boolean =>
  sender === operation.sender && operation.dataHash.equals(dataHash);

/** Bundles are large, and on most chains somebody else's: they are read when there is something to be found in them. */
async function hasOpenOperations(database: Database, chainId: number): Promise<boolean> {
  const call = await database.actionCall.findFirst({
    where: { chainId, open: true, form: 'USER_OPERATION' },
    select: { id: true },
  });
  return call !== null;
}
