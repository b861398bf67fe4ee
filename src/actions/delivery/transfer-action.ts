import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { Database } from '../../persistence/database';
import type { ActionStatus, StepStatus } from '../../persistence/client/enums';
import { invariant } from '../../errors/invariant-error';

/** A step of an action with a delivery. */
export interface TransferStep {
  readonly stepIndex: number;
  readonly chainId: number;
  readonly status: StepStatus;
  readonly txHash: string | null;
  readonly updatedAt: Date;
}

/** An action that a provider carries on after its first step. Amounts in base units. */
export interface TransferAction {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly quoteId: string | undefined;
  readonly status: ActionStatus;
  readonly substatus: string | null;
  readonly originAddress: string;
  readonly receiverAddress: string;
  readonly refundAddress: string | undefined;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  /** Addresses of the tokens. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly unitOut: { readonly symbol: string; readonly decimals: number };
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** The action fails after this unless its origin was seen. */
  readonly expiresAt: Date;
  readonly origin: TransferStep;
  /** The step that the provider carries out; the origin step when there is only one. */
  readonly destination: TransferStep;
}

const token = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
const tokens = z.object({ tokenIn: token, tokenOut: token });
const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);

/** Reads the action of a delivery with its first and last steps. */
export async function readTransferAction(
  database: Pick<Database, 'action'>,
  actionId: string,
): Promise<TransferAction> {
  const action = await database.action.findUniqueOrThrow({
    where: { id: actionId },
    include: { steps: { where: { kind: { not: 'REFUND' } }, orderBy: { stepIndex: 'asc' } } },
  });
  const { tokenIn, tokenOut } = tokens.parse(action);
  const steps = action.steps.map(({ chainId, ...step }) => ({ ...step, chainId: smallId(chainId) }));
  const [origin, destination] = [steps[0], steps.at(-1)];
  invariant(origin !== undefined && destination !== undefined, `the action ${actionId} has no step`);
  return {
    actionId,
    customerId: action.customerId as CustomerId,
    quoteId: action.quoteId ?? undefined,
    status: action.status,
    substatus: action.substatus,
    createdAt: action.createdAt,
    finishedAt: action.finishedAt,
    expiresAt: action.expiresAt,
    originAddress: action.originAddress,
    receiverAddress: action.receiverAddress,
    refundAddress: action.refundAddress ?? undefined,
    chainIdIn: smallId(action.chainIdIn),
    chainIdOut: smallId(action.chainIdOut),
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    unitOut: tokenOut,
    amountOut: BigInt(action.amountOut.toFixed(0)),
    minAmountOut: BigInt(action.minAmountOut.toFixed(0)),
    origin,
    destination,
  };
}
