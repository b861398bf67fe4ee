import type { CustomerId } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import type { BaseUnits } from '../money/base-units';
import type { Transaction } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import type { Token } from '../tokens/token';
import type { ActionFees, ActionType, LegKind, LegOperator } from './action';

/** What a quote becomes once its transactions are handed out. Amounts in base units of their token. */
export interface NewAction {
  readonly customerId: CustomerId;
  readonly quoteId: string;
  readonly type: ActionType;
  readonly provider: string;
  readonly originAddress: string;
  readonly receiverAddress: string;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly minAmountOut: BaseUnits;
  /** `undefined` when there was no price. */
  readonly amountInUsd: number | undefined;
  readonly amountOutUsd: number | undefined;
  readonly fees: ActionFees;
  readonly webhookUrl: string | undefined;
  /** When the action fails with EXPIRED if nothing of it was seen. */
  readonly expiresAt: Date;
  /** One for each transaction or payment, in order; approvals belong to the step that needs them. */
  readonly steps: readonly {
    readonly kind: LegKind;
    readonly operator: LegOperator;
    readonly protocol: string;
    readonly chainId: number;
  }[];
}

/** Creates the action of a quote, or finds it: a quote creates at most one, however many callers ask at once. */
export async function createAction(tx: Transaction, action: NewAction): Promise<{ id: string }> {
  const id = uuidV7();
  const { count } = await tx.action.createMany({ data: [rowOf(id, action)], skipDuplicates: true });
  if (count === 0) return existingAction(tx, action);
  const { customerId } = action;
  await tx.actionStep.createMany({
    data: action.steps.map((step, stepIndex) => ({
      ...{ actionId: id, stepIndex, customerId, kind: step.kind, operator: step.operator },
      ...{ protocol: step.protocol, chainId: step.chainId },
    })),
  });
  await tx.actionEvent.create({ data: { actionId: id, customerId, toStatus: 'INITIAL', substatus: 'WAITING_ORIGIN' } });
  await tx.customerWallet.createMany({ data: [{ customerId, address: action.originAddress }], skipDuplicates: true });
  return { id };
}

async function existingAction(tx: Transaction, { quoteId, customerId }: NewAction): Promise<{ id: string }> {
  const existing = await tx.action.findFirst({ where: { quoteId, customerId }, select: { id: true } });
  invariant(existing, `the quote ${quoteId} made an action of another customer`);
  return existing;
}

const rowOf = (id: string, action: NewAction) => ({
  id,
  customerId: action.customerId,
  quoteId: action.quoteId,
  type: action.type,
  substatus: 'WAITING_ORIGIN',
  provider: action.provider,
  originAddress: action.originAddress,
  receiverAddress: action.receiverAddress,
  chainIdIn: action.chainIdIn,
  chainIdOut: action.chainIdOut,
  tokenIn: { ...action.tokenIn },
  tokenOut: { ...action.tokenOut },
  amountIn: action.amountIn.toString(),
  amountOut: action.amountOut.toString(),
  minAmountOut: action.minAmountOut.toString(),
  amountInUsd: action.amountInUsd?.toFixed(6) ?? null,
  amountOutUsd: action.amountOutUsd?.toFixed(6) ?? null,
  fees: { ...action.fees, breakdown: action.fees.breakdown.map((fee) => ({ ...fee })) },
  webhookUrl: action.webhookUrl ?? null,
  expiresAt: action.expiresAt,
});
