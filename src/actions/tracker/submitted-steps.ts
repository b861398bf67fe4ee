import { z } from 'zod';
import type { Action } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';

/** A step whose transaction was seen and is not final, with the relevant part of its action. */
export interface SubmittedStep {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly kind: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash: string | undefined;
  /** Flaw of the tokens that arrived, although the transaction succeeded. */
  readonly flaw: string | undefined;
  readonly action: {
    readonly originAddress: string;
    readonly receiverAddress: string;
    readonly chainIdIn: number;
    readonly chainIdOut: number;
    readonly tokenIn: string;
    readonly tokenOut: string;
    /** Unit of `amountOut` for messages. */
    readonly unitOut: { readonly symbol: string; readonly decimals: number };
    readonly amountOut: bigint;
    readonly minAmountOut: bigint;
  };
}

/** Steps of one pass: their receipts are requested together. */
const BATCH_SIZE = 100;

const token = z.object({ address: z.string() }).transform(({ address }) => address);
const actionParts = z.object({ tokenIn: token, tokenOut: token });
const unit = z.object({ symbol: z.string(), decimals: z.int() });

/**
 * The submitted steps whose block is within the bounds, least recently updated first. Includes steps of actions that have
 * ended for another reason: their transactions still become final.
 */
export async function submittedSteps(
  database: Database,
  chainId: number,
  { after, notAfter }: { readonly after?: bigint; readonly notAfter?: bigint },
): Promise<readonly SubmittedStep[]> {
  const rows = await database.actionStep.findMany({
    where: {
      chainId,
      status: 'SUBMITTED',
      txHash: { not: null },
      blockHash: { not: null },
      blockNumber: {
        ...(after === undefined ? {} : { gt: after }),
        ...(notAfter === undefined ? {} : { lte: notAfter }),
      },
    },
    orderBy: { updatedAt: 'asc' },
    take: BATCH_SIZE,
    include: { action: true },
  });
  return rows.flatMap(({ actionId, stepIndex, txHash, blockNumber, blockHash, deliveryFlaw, action, ...row }) => {
    if (txHash === null || blockNumber === null || blockHash === null) return [];
    const userOperationHash = row.userOperationHash ?? undefined;
    const flaw = deliveryFlaw ?? undefined;
    const place = { chainId, txHash, blockNumber, blockHash, userOperationHash };
    return [{ actionId, stepIndex, kind: row.kind, ...place, flaw, action: partsOf(action) }];
  });
}

const partsOf = (action: Action): SubmittedStep['action'] => ({
  originAddress: action.originAddress,
  receiverAddress: action.receiverAddress,
  chainIdIn: smallId(action.chainIdIn),
  chainIdOut: smallId(action.chainIdOut),
  ...actionParts.parse(action),
  unitOut: unit.parse(action.tokenOut),
  amountOut: BigInt(action.amountOut.toFixed(0)),
  minAmountOut: BigInt(action.minAmountOut.toFixed(0)),
});

const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);
