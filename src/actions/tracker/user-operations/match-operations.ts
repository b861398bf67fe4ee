import type { Database } from '../../../persistence/database';
import type { MatchedTransaction } from '../match-transactions';
import { type CallKey, openKinds, sendersWithOpenCalls } from '../open-calls';
import type { MinedBlock } from '../read-blocks';
import { type BundledOperation, isBundle, operationsIn } from './bundle';
import { intendedActions } from './intended-actions';

/** An operation of a bundle that is identical to an open call. The receipt shows whether it was executed. */
export interface MatchedOperation extends MatchedTransaction {
  readonly operation: BundledOperation;
}

/** The operations in the bundles of these blocks that carry out open calls, in the order of the chain. */
export async function matchOperations(
  database: Database,
  chainId: number,
  blocks: readonly MinedBlock[],
): Promise<readonly MatchedOperation[]> {
  const bundles = blocks.flatMap((block) =>
    block.transactions.filter(isBundle).map((transaction) => ({ transaction, block })),
  );
  if (bundles.length === 0 || !(await hasOpenOperations(database, chainId))) return [];
  const mined = bundles.flatMap(({ transaction, block }) =>
    operationsIn(transaction).map((operation) => ({ transaction, block, operation })),
  );
  const senders = new Set(mined.map(({ operation }) => operation.sender));
  const active = await sendersWithOpenCalls(database, { chainId, form: 'USER_OPERATION', senders: [...senders] });
  const ofActive = mined.filter(({ operation }) => active.has(operation.sender));
  const intended = await intendedActions(
    database,
    chainId,
    ofActive.map(({ operation }) => operation),
  );
  const candidates = ofActive.map((each) => {
    const key: CallKey = { ...operationKeyOf(each), actionId: intended.get(each.operation) };
    return { ...each, key, kinds: EXECUTION };
  });
  const kinds = await openKinds(
    database,
    chainId,
    candidates.map(({ key }) => key),
  );
  return candidates.filter((_, index) => kinds[index]?.other === true);
}

/** Approvals are part of the calldata of an operation. */
const EXECUTION: MatchedTransaction['kinds'] = { approval: false, other: true };

const operationKeyOf = ({
  operation: { sender, dataHash },
  block: { issuedUntil },
}: Pick<MatchedOperation, 'operation' | 'block'>): CallKey => ({
  form: 'USER_OPERATION',
  sender,
  target: undefined,
  value: undefined,
  dataHash,
  issuedUntil,
});

/** Bundles are large and mostly foreign: they are decoded only while an operation is open. */
async function hasOpenOperations(database: Database, chainId: number): Promise<boolean> {
  const call = await database.actionCall.findFirst({
    where: { chainId, open: true, form: 'USER_OPERATION' },
    select: { id: true },
  });
  return call !== null;
}
