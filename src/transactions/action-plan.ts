import type { Hex } from 'viem';
import type { CustomerId } from '../auth/principal';
import type { BaseUnits } from '../money/base-units';
import type { Transaction } from '../persistence/database';
import type { Token } from '../tokens/token';

/** What an action does for its customer. */
export const ACTION_TYPES = [
  'SAMECHAIN_SWAP',
  'CROSSCHAIN_SWAP',
  'TRANSFER_OUT',
  'TRANSFER_IN',
  'ON_RAMP_FIAT',
  'OFF_RAMP_FIAT',
  'SAMECHAIN_INVESTMENT_DEPOSIT',
  'SAMECHAIN_INVESTMENT_WITHDRAW',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
  'SMART_ACCOUNT_DEPLOYMENT',
  'FEE_COLLECTION',
] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

export const LEG_KINDS = [
  'APPROVAL',
  'SWAP',
  'BRIDGE',
  'DEPOSIT',
  'WITHDRAW',
  'TRANSFER',
  'FIAT_IN',
  'FIAT_OUT',
  'ORDER',
  'REFUND',
] as const;
export type LegKind = (typeof LEG_KINDS)[number];

/** Who carries a leg out. */
export const LEG_OPERATORS = ['USER', 'PROVIDER', 'SERVICE'] as const;
export type LegOperator = (typeof LEG_OPERATORS)[number];

/** One charge: `amount` is a decimal in `currency`; `tokenAmount` is in base units of the token with the symbol `token`. */
export interface ActionFee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
  readonly token?: string | undefined;
  readonly tokenAmount?: string | undefined;
}

/** What an action costs: `total` is a decimal in `currency`, the sum of the breakdown. */
export interface ActionFees {
  readonly total: string;
  readonly currency: string;
  readonly breakdown: readonly ActionFee[];
}

/** One transaction or payment of an action. */
export interface PlannedStep {
  readonly kind: LegKind;
  readonly operator: LegOperator;
  /** Who is trusted with it: the venue, or `transfer`. */
  readonly protocol: string;
  readonly chainId: number;
}

/** Something that was handed out for signature, as the trackers will see it on chain. */
export interface HandedOutCall {
  /** Step of the action that the call belongs to, approvals to the step that needs them. */
  readonly stepIndex: number;
  readonly chainId: number;
  /**
   * - `CALL`: a transaction of `sender` to `target` with this calldata and value.
   * - `USER_OPERATION`: a user operation of the account `sender` with this calldata, bundled through the EntryPoint `target`.
   * - `REFERENCE`: a Solana transaction that names the account `target`; `data` is empty.
   */
  readonly form: 'CALL' | 'USER_OPERATION' | 'REFERENCE';
  readonly sender: string;
  readonly target: string;
  readonly data: Hex;
  /** Native coin sent along, in wei. */
  readonly value: bigint;
}

/** What is going to move a customer's money, and how the trackers will know. Amounts in base units of their token. */
export interface ActionPlan {
  readonly id: string;
  readonly customerId: CustomerId;
  /** The quote that it executes; a quote makes at most one action. */
  readonly quoteId: string | undefined;
  readonly type: ActionType;
  readonly provider: string;
  readonly originAddress: string;
  readonly receiverAddress: string;
  /** Where a refund goes; the origin address when `undefined`. */
  readonly refundAddress: string | undefined;
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
  /** In order; approvals belong to the step that needs them. */
  readonly steps: readonly PlannedStep[];
  readonly calls: readonly HandedOutCall[];
  /** Set when somebody else carries the money on after the first step: who is asked how far it is. */
  readonly delivery:
    | { readonly provider: string; readonly deposit?: { readonly address: string; readonly reference: string } }
    | undefined;
}

export interface ActionStarter {
  /**
   * Creates an action and makes its calls known to the trackers. The same plan again changes nothing but that other
   * calldata for the same step is looked for beside the first.
   */
  startAction(tx: Transaction, plan: ActionPlan): Promise<void>;
}
