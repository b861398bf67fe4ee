import type { Database } from '../../../persistence/database';
import { type FoundTransaction, type OpenCall, openCallsOf } from '../match-calls';
import type { MinedBlock } from '../read-blocks';
import { type BundledOperation, isBundle, operationsIn } from './bundle';

/** An open call that is identical to an operation of a bundle. The receipt shows whether it was executed. */
export interface FoundOperation extends FoundTransaction {
  readonly operation: BundledOperation;
}

/**
 * The open user operations in the bundles of these blocks, in the order of the chain. When several actions wait for the
 * same operation, each of them is returned, the oldest first: the operation executes one of them.
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

/** Bundles are large and mostly foreign: they are decoded only while an operation is open. */
async function hasOpenOperations(database: Database, chainId: number): Promise<boolean> {
  const call = await database.actionCall.findFirst({
    where: { chainId, open: true, form: 'USER_OPERATION' },
    select: { id: true },
  });
  return call !== null;
}
