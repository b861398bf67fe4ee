import type { Database } from '../../../persistence/database';
import { actionIdOfNonce } from '../../../transactions/action-nonce-key';
import type { BundledOperation } from './bundle';

type Operation = Pick<BundledOperation, 'sender' | 'nonce' | 'dataHash'>;

/**
 * The action that each operation was built for: its nonce key is the action's id, and its calldata is identical to a call
 * that was issued for the action. It executes this action or none, although other actions have the same calldata.
 *
 * An operation without such an action has a nonce that its wallet chose.
 */
export async function intendedActions<T extends Operation>(
  database: Pick<Database, '$queryRaw'>,
  chainId: number,
  operations: readonly T[],
): Promise<ReadonlyMap<T, string>> {
  const ids = new Set(operations.flatMap(({ nonce }) => actionIdOfNonce(nonce) ?? []));
  if (ids.size === 0) return new Map();
  const calls = await database.$queryRaw<{ actionId: string; sender: string; dataHash: Uint8Array }[]>`
    SELECT "actionId", sender, "dataHash" FROM "ActionCall"
     WHERE "actionId" = ANY(${[...ids]}::uuid[]) AND "chainId" = ${chainId} AND form = 'USER_OPERATION'`;
  const issued = new Set(calls.map(({ actionId, sender, dataHash }) => textOf(actionId, { sender, dataHash })));
  return new Map(
    operations.flatMap((operation) => {
      const actionId = actionIdOfNonce(operation.nonce);
      return actionId !== undefined && issued.has(textOf(actionId, operation)) ? [[operation, actionId] as const] : [];
    }),
  );
}

const textOf = (
  actionId: string,
  { sender, dataHash }: { readonly sender: string; readonly dataHash: Uint8Array },
): string => [actionId, sender, Buffer.from(dataHash).toString('hex')].join(' ');
