import type { Transaction } from '../../persistence/database';

/** A transaction that is said to have delivered an action, and to whom. Amounts in base units of `tokenOut`. */
export interface DeliveredBy {
  readonly actionId: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly action: {
    readonly receiverAddress: string;
    readonly tokenOut: string;
    /** What was promised. */
    readonly amountOut: bigint;
  };
}

/** Transfers that the same transaction delivered to the same wallet. */
export interface SharedWith {
  readonly count: number;
  /** What they had at least, together. */
  readonly minimum: bigint;
}

/** Providers deliver several transfers by one transaction, and some of them may go to the same wallet. */
export async function sharedWith(
  database: Pick<Transaction, '$queryRaw'>,
  { actionId, chainId, txHash, action }: DeliveredBy,
): Promise<SharedWith> {
  const [others] = await database.$queryRaw<{ count: number; minimum: string }[]>`
    SELECT count(*)::int AS count, coalesce(sum(other."minAmountOut"), 0)::text AS minimum
      FROM "ActionStep" AS step JOIN "Action" AS other ON other.id = step."actionId"
     WHERE step."chainId" = ${chainId} AND step."txHash" = ${txHash} AND step.kind <> 'REFUND'
       AND step."failureReason" IS NULL AND other.id <> ${actionId}::uuid
       AND other."receiverAddress" = ${action.receiverAddress} AND other."tokenOut"->>'address' = ${action.tokenOut}`;
  return { count: others?.count ?? 0, minimum: BigInt(others?.minimum ?? '0') };
}

/**
 * What of the amount that a transaction brought to a wallet is this action's: the others had their minimum at least, and
 * of the rest it has no more than it was promised. `undefined` when nothing is left.
 */
export async function ownShare(
  database: Pick<Transaction, '$queryRaw'>,
  deliveredBy: DeliveredBy,
  arrived: bigint | undefined,
): Promise<bigint | undefined> {
  if (arrived === undefined) return undefined;
  const { count, minimum } = await sharedWith(database, deliveredBy);
  if (count === 0) return arrived;
  const { amountOut } = deliveredBy.action;
  const left = arrived - minimum;
  if (left <= 0n) return undefined;
  return left < amountOut ? left : amountOut;
}
