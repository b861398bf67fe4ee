import { z } from 'zod';
import type { CustomerId } from '../../auth/principal';
import type { Database } from '../../persistence/database';
import type { Action } from '../../persistence/client/client';
import type { ActionStatus, StepStatus } from '../../persistence/client/enums';
import { invariant } from '../../errors/invariant-error';
import { parseTerms } from '../amounts/transfer-terms';

/** A step of an action with a delivery. */
export interface TransferStep {
  readonly stepIndex: number;
  readonly operator: string;
  readonly protocol: string | null;
  readonly chainId: number;
  readonly status: StepStatus;
  readonly txHash: string | null;
  /** True when the transaction had no effect. */
  readonly reverted: boolean;
  readonly updatedAt: Date;
}

/**
 * An action that a provider carries on after the wallet has paid. Amounts in base units. Where the transfer is only a part of the
 * action, tokens, amounts and receiver are those of the transfer.
 */
export interface TransferAction {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly quoteId: string | undefined;
  readonly status: ActionStatus;
  readonly substatus: string | null;
  readonly originAddress: string;
  /** Receives what the provider delivers. */
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
  /** True when the wallet has other transactions to send as well. */
  readonly isPart: boolean;
  /** False when another step of the action uses what the provider delivers. */
  readonly endsAction: boolean;
}

const token = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
const tokens = z.object({ tokenIn: token, tokenOut: token });
const smallId = (chainId: bigint): number => Number.parseInt(chainId.toString(), 10);

/** Reads the action of a delivery with the steps of the transfer. */
export async function readTransferAction(
  database: Pick<Database, 'action'>,
  actionId: string,
): Promise<TransferAction> {
  const action = await database.action.findUniqueOrThrow({
    where: { id: actionId },
    include: {
      steps: { where: { kind: { not: 'REFUND' } }, orderBy: { stepIndex: 'asc' } },
      delivery: { select: { originStep: true, destinationStep: true, terms: true } },
    },
  });
  const { originStep = 0, destinationStep, terms } = action.delivery ?? {};
  const part = partTerms(terms);
  const steps = action.steps.map(({ chainId, ...step }) => ({ ...step, chainId: smallId(chainId) }));
  const last = steps.at(-1);
  const destination = steps.find(({ stepIndex }) => stepIndex === (destinationStep ?? last?.stepIndex));
  const origin = steps.find(({ stepIndex }) => stepIndex === originStep);
  invariant(origin !== undefined && destination !== undefined, `the action ${actionId} lacks a step`);
  return {
    ...(part ?? termsOf(action)),
    isPart: part !== undefined,
    actionId,
    customerId: action.customerId as CustomerId,
    quoteId: action.quoteId ?? undefined,
    status: action.status,
    substatus: action.substatus,
    createdAt: action.createdAt,
    finishedAt: action.finishedAt,
    expiresAt: action.expiresAt,
    originAddress: action.originAddress,
    refundAddress: action.refundAddress ?? undefined,
    chainIdIn: smallId(action.chainIdIn),
    chainIdOut: smallId(action.chainIdOut),
    origin,
    destination,
    endsAction: destination === last,
  };
}

type Terms = Pick<
  TransferAction,
  'receiverAddress' | 'tokenIn' | 'tokenOut' | 'unitOut' | 'amountOut' | 'minAmountOut'
>;

/** The terms of a transfer that is the whole action. */
function termsOf(action: Action): Terms {
  const { tokenIn, tokenOut } = tokens.parse(action);
  return {
    receiverAddress: action.receiverAddress,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    unitOut: tokenOut,
    amountOut: BigInt(action.amountOut.toFixed(0)),
    minAmountOut: BigInt(action.minAmountOut.toFixed(0)),
  };
}

/** The terms of a transfer that is a part of its action; `undefined` for one that is the whole. */
function partTerms(json: unknown): Terms | undefined {
  const terms = parseTerms(json);
  if (terms === undefined) return undefined;
  const { tokenIn, tokenOut, receiverAddress, amountOut, minAmountOut } = terms;
  return {
    receiverAddress,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    unitOut: tokenOut,
    amountOut,
    minAmountOut,
  };
}
