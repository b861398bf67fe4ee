import { z } from 'zod';
import type { Database } from '../../persistence/database';

/** A step whose transaction was seen and is not final, with what is needed of its action. */
export interface SubmittedStep {
  readonly actionId: string;
  readonly stepIndex: number;
  readonly chainId: number;
  readonly txHash: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Set when the transaction is a bundle, and this user operation of it carried the step out. */
  readonly userOperationHash: string | undefined;
  readonly action: {
    readonly originAddress: string;
    readonly receiverAddress: string;
    readonly chainIdIn: number;
    readonly chainIdOut: number;
    readonly tokenIn: string;
    readonly tokenOut: string;
  };
}

/** Steps that one pass looks at: receipts are asked for in one exchange. */
const BATCH = 100;

const token = z.object({ address: z.string() }).transform(({ address }) => address);
const actionParts = z.object({ tokenIn: token, tokenOut: token });

/** Those whose block is within the bounds; first those that were left alone the longest. */
export async function submittedSteps(
  database: Database,
  chainId: number,
  { after, notAfter }: { readonly after?: bigint; readonly notAfter?: bigint },
): Promise<readonly SubmittedStep[]> {
  const rows = await database.actionStep.findMany({
    where: {
      ...{ chainId, status: 'SUBMITTED', action: { status: 'PENDING' } },
      blockNumber: {
        ...(after === undefined ? {} : { gt: after }),
        ...(notAfter === undefined ? {} : { lte: notAfter }),
      },
    },
    orderBy: { updatedAt: 'asc' },
    take: BATCH,
    include: { action: true },
  });
  return rows.flatMap(({ actionId, stepIndex, txHash, blockNumber, blockHash, action, ...row }) => {
    if (txHash === null || blockNumber === null || blockHash === null) return [];
    const { originAddress, receiverAddress } = action;
    const chains = { chainIdIn: smallId(action.chainIdIn), chainIdOut: smallId(action.chainIdOut) };
    const parts = { originAddress, receiverAddress, ...chains, ...actionParts.parse(action) };
    const userOperationHash = row.userOperationHash ?? undefined;
    return [{ actionId, stepIndex, chainId, txHash, blockNumber, blockHash, userOperationHash, action: parts }];
  });
}

const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);
