import type { Database } from '../../persistence/database';

/** A transaction that is said to have delivered an action, and whom. */
export interface DeliveredBy {
  readonly actionId: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly action: {
    readonly receiverAddress: string;
    readonly tokenOut: string;
    /** What was promised, in base units of `tokenOut`. */
    readonly amountOut: bigint;
  };
}

/**
 * What of the amount that a transaction brought to a receiver is this action's: providers deliver several transfers by
 * one transaction, and some of them may go to the same wallet. Each of the others had at least its minimum; of the rest
 * an action that shares the transaction has no more than it was promised. `undefined` when nothing is left.
 */
export async function ownShare(
  database: Pick<Database, '$queryRaw'>,
  { actionId, chainId, txHash, action }: DeliveredBy,
  arrived: bigint | undefined,
): Promise<bigint | undefined> {
  if (arrived === undefined) return undefined;
  const [others] = await database.$queryRaw<{ count: bigint; minimum: string }[]>`
    SELECT count(*) AS count, coalesce(sum(other."minAmountOut"), 0)::text AS minimum
      FROM "ActionStep" AS step JOIN "Action" AS other ON other.id = step."actionId"
     WHERE step."chainId" = ${chainId} AND step."txHash" = ${txHash} AND step.kind <> 'REFUND'
       AND other.id <> ${actionId}::uuid AND other."receiverAddress" = ${action.receiverAddress}
       AND other."tokenOut"->>'address' = ${action.tokenOut}`;
  if (others === undefined || others.count === 0n) return arrived;
  const left = arrived - BigInt(others.minimum);
  if (left <= 0n) return undefined;
  return left < action.amountOut ? left : action.amountOut;
}
