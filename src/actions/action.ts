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

/** What the five states cannot say. */
export const SUBSTATUSES = [
  'WAITING_ORIGIN',
  'WAITING_CONFIRMATIONS',
  'WAITING_ATTESTATION',
  'WAITING_DESTINATION',
  'DESTINATION_MINT_REQUIRED',
  'PAYOUT_PROCESSING',
  'PARTIAL',
  'SLIPPAGE_EXCEEDED',
  'OUT_OF_GAS',
  'EXPIRED',
  'REFUND_QUEUED',
  'REFUND_SENT',
] as const;
export type Substatus = (typeof SUBSTATUSES)[number];

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
