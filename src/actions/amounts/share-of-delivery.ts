import type { Transaction } from '../../persistence/database';
import { minBigInt } from '../../money/min-max';

/** A transaction that delivers an action. Amounts in base units of `tokenOut`. */
export interface DeliveredBy {
  readonly actionId: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly action: {
    readonly receiverAddress: string;
    readonly tokenOut: string;
    /** Quoted amount. */
    readonly amountOut: bigint;
  };
}

/** Other transfers that the same transaction delivered to the same wallet without a flaw. */
export interface SharedWith {
  readonly count: number;
  /** Sum of their minimum amounts. */
  readonly minimum: bigint;
}

/** Providers may deliver several transfers to one wallet in the same transaction. */
export async function sharedWith(
  database: Pick<Transaction, '$queryRaw'>,
  { actionId, chainId, txHash, action }: DeliveredBy,
): Promise<SharedWith> {
  const [others] = await database.$queryRaw<{ count: number; minimum: string }[]>`
    SELECT count(*)::int AS count,
           coalesce(sum(coalesce((part.terms->>'minAmountOut')::numeric, other."minAmountOut")), 0)::text AS minimum
      FROM "ActionStep" AS step JOIN "Action" AS other ON other.id = step."actionId"
      LEFT JOIN "Delivery" AS part ON part."actionId" = other.id
     WHERE step."chainId" = ${chainId} AND step."txHash" = ${txHash} AND step.kind <> 'REFUND'
       AND step.status <> 'FAILED' AND step."deliveryFlaw" IS NULL AND other.id <> ${actionId}::uuid
       AND coalesce(part.terms->>'receiverAddress', other."receiverAddress") = ${action.receiverAddress}
       AND coalesce(part.terms->'tokenOut', other."tokenOut")->>'address' = ${action.tokenOut}`;
  return { count: others?.count ?? 0, minimum: BigInt(others?.minimum ?? '0') };
}

/**
 * This action's share of the amount that a transaction moved to a wallet: what remains after the minimum amounts of the
 * other transfers, and at most the quoted amount. `undefined` when nothing remains.
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
  return minBigInt(left, amountOut);
}
