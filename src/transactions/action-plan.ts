import type { Hex } from 'viem';
import type { CustomerId } from '../auth/principal';
import type { BaseUnits } from '../money/base-units';
import type { MicroUsd } from '../money/usd';
import type { Transaction } from '../persistence/database';
import type { Token } from '../tokens/token';

/** Type of an action. */
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
  'REWARD_CLAIM',
] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

export const LEG_KINDS = [
  'APPROVAL',
  'SWAP',
  'BRIDGE',
  'DEPOSIT',
  'WITHDRAW',
  'REQUEST',
  'TRANSFER',
  'FIAT_IN',
  'FIAT_OUT',
  'ORDER',
  'REFUND',
  'DEPLOYMENT',
  'CLAIM',
] as const;
export type LegKind = (typeof LEG_KINDS)[number];

/** Protocol of a step that pays a fee of its action, next to the amount that the other steps move. */
export const FEE_PROTOCOL = 'fee';

/** The party that executes a leg. */
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

/** The fees of an action: `total` is a decimal in `currency`, the sum of the breakdown. */
export interface ActionFees {
  readonly total: string;
  readonly currency: string;
  readonly breakdown: readonly ActionFee[];
}

/** One transaction or payment of an action. */
export interface PlannedStep {
  readonly kind: LegKind;
  readonly operator: LegOperator;
  /** The venue that executes it, or `transfer`. */
  readonly protocol: string;
  readonly chainId: number;
}

/** A call that was returned to the customer for signature, as the trackers expect it on chain. */
export interface ExpectedCall {
  /** Step of the action that the call belongs to. An approval belongs to the step that needs it. */
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
  /** Native coin sent with the call, in wei. */
  readonly value: bigint;
  /** Set for calldata without the id of the action: the first nonce of the sender that its transaction may have. */
  readonly minNonce?: bigint | undefined;
  /** Fees that a transaction with this call pays. Set where the calls of an action pay different ones. */
  readonly fees?: readonly ActionFee[] | undefined;
  /** What it moves into or out of a strategy, in base units of the underlying asset. Set where the call itself states the amount. */
  readonly assets?: bigint | undefined;
}

/** An action to be created: its steps, and the calls that the trackers expect. Amounts in base units of their token. */
export interface ActionPlan {
  readonly id: string;
  readonly customerId: CustomerId;
  /** The quote that the action executes. A quote has at most one action. */
  readonly quoteId: string | undefined;
  /** The strategy of a deposit or withdrawal, with its slug. */
  readonly strategy?: { readonly id: string; readonly slug: string } | undefined;
  readonly type: ActionType;
  /** True when the caller requested a quote only, and has not executed it yet. */
  readonly isDraft: boolean;
  readonly provider: string;
  readonly originAddress: string;
  readonly receiverAddress: string;
  /** Recipient of refunds; the origin address when `undefined`. */
  readonly refundAddress: string | undefined;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly minAmountOut: BaseUnits;
  /** `undefined` without a price. */
  readonly amountInUsd: MicroUsd | undefined;
  readonly amountOutUsd: MicroUsd | undefined;
  readonly fees: ActionFees;
  readonly webhookUrl: string | undefined;
  /** When the action fails with EXPIRED unless one of its transactions or payments was seen. */
  readonly expiresAt: Date;
  /** In order of execution. Approvals are part of the step that needs them. */
  readonly steps: readonly PlannedStep[];
  readonly calls: readonly ExpectedCall[];
  /** The provider that delivers after the first step, and is polled for the progress. `undefined` within one chain. */
  readonly delivery: PlannedDelivery | undefined;
}

export interface PlannedDelivery {
  readonly provider: string;
  readonly deposit?: { readonly address: string; readonly reference: string };
  /** Set when the transfer is only a part of its action. */
  readonly part?: TransferPart | undefined;
}

/** A transfer between chains in an action that has other steps as well. */
export interface TransferPart {
  /** Index of the step that pays the provider. */
  readonly originStep: number;
  /** Index of the step that the provider carries out. */
  readonly destinationStep: number;
  readonly terms: TransferTerms;
}

/** What the transfer itself moves. Amounts in base units of their token. */
export interface TransferTerms {
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  readonly amountIn: bigint;
  /** Value of `amountIn` in the quote; `undefined` without a price. */
  readonly amountInUsd: MicroUsd | undefined;
  readonly amountOut: bigint;
  readonly minAmountOut: bigint;
  readonly receiverAddress: string;
  /** Basis points of the delivered amount that the deposit after it pays as a fee at most; `undefined` without a deposit. */
  readonly entryFeeBps?: number | undefined;
}

/** What a customer may have open at a time, by the name of its limit. */
export type OpenResource = 'openActions' | 'openDrafts' | 'openDeliveries';

export interface OpenLimits {
  /** Refuses a request of a customer at a limit before it causes work. @throws RATE_LIMIT_EXCEEDED */
  assertMayOpen(customerId: CustomerId, resources: readonly OpenResource[]): Promise<void>;
}

export interface ActionStarter {
  /**
   * Creates an action and registers its expected calls with the trackers. Idempotent: a repeated plan only registers
   * calldata that differs, in addition to the first, and ends the draft unless the plan is one.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many open actions, drafts or deliveries
   */
  startAction(tx: Transaction, plan: ActionPlan): Promise<void>;
}
