import type { Chain } from '../chains/chain';
import type { BaseUnits } from '../money/base-units';
import type { Token } from '../tokens/token';
import type { UsdBeneficiary } from './usd-beneficiary';

/** The default ramp, and the one that customers opt into. Brand names are configuration. */
export const RAMP_IDS = ['primary', 'secondary'] as const;
export type RampId = (typeof RAMP_IDS)[number];

export type FiatCurrency = 'BRL' | 'USD';
export type RampRail = 'PIX' | 'ACH' | 'WIRE';

/** A payment from a bank to a token on chain (on-ramp), or from a token to a bank (off-ramp). */
export interface RampRoute {
  readonly direction: 'onRamp' | 'offRamp';
  readonly currency: FiatCurrency;
  readonly rail: RampRail;
  /** The token that an on-ramp settles in, or that an off-ramp receives. */
  readonly token: Token;
  readonly chain: Chain;
}

/** A person's account at a ramp. `accountId` is the ramp's id. */
export interface RampAccount {
  readonly accountId: string;
  readonly kycUserId: string;
}

/** Amounts: fiat in cents, tokens in base units. */
export interface RampQuoteRequest {
  readonly route: RampRoute;
  /** The side of the route with the exact amount. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  /** Absent for a price without a payer. */
  readonly account: RampAccount | undefined;
  /** Pix: the beneficiary is not the account holder. */
  readonly thirdParty: boolean;
}

/** A fee of the ramp, already deducted, in the unit of the side that pays it. */
export interface RampFee {
  readonly label: string;
  readonly asset: 'in' | 'out';
  readonly amount: BaseUnits;
}

export interface RampQuote {
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly fees: readonly RampFee[];
  /** Expiry of the ramp's quote: seconds, at some ramps. Each ticket needs a new quote. */
  readonly expiresAt: Date;
  /** Data of the quote that opening a ticket requires, as JSON. Never returned to callers. */
  readonly execution: unknown;
}

/** The destination of a fiat payout. */
export type PayoutDestination =
  | { readonly rail: 'PIX'; readonly pixKey: string; readonly thirdParty: boolean }
  | { readonly rail: 'ACH' | 'WIRE'; readonly beneficiary: UsdBeneficiary };

export interface TicketRequest {
  readonly route: RampRoute;
  readonly quote: RampQuote;
  readonly account: RampAccount;
  /** The service's id of the payment. Finds the ticket when the response to its opening was lost. */
  readonly externalId: string;
  /** Wallet that receives the token (on-ramp) or sends it (off-ramp). */
  readonly walletAddress: string;
  /** Recipient of an off-ramp's refund, at ramps that support one; the sending wallet when absent. */
  readonly refundAddress?: string | undefined;
  /** Memo of Solana transfers. */
  readonly memo?: string | undefined;
  /** Only for off-ramps. */
  readonly payout: PayoutDestination | undefined;
  /** Minimum payout. An off-ramp that would pay out less is refunded. */
  readonly minAmountOut?: BaseUnits | undefined;
}

/** Instructions for the payer: exactly one of `pix`, `wire` and `ach`. */
export interface PaymentInstructions {
  /** BR Code to copy and paste. */
  readonly pix?: { readonly copyPaste: string } | undefined;
  readonly wire?: BankInstructions | undefined;
  readonly ach?: BankInstructions | undefined;
  readonly expiresAt: Date | undefined;
  readonly amount: { readonly amountRaw: string; readonly currency: FiatCurrency };
}

export interface BankInstructions {
  readonly bankName: string;
  readonly routingNumber: string;
  readonly accountNumber: string;
  readonly beneficiary: string;
  /** Required in the payment: the ramp identifies the payer by it. */
  readonly memo: string | undefined;
}

/** A payment that the ramp has accepted. */
export type Ticket = { readonly ticketId: string } & (
  | { readonly kind: 'payIn'; readonly instructions: PaymentInstructions }
  | {
      readonly kind: 'payOut';
      /** Account on chain for the deposit of exactly `amount` base units. */
      readonly depositAddress: string;
      readonly amount: BaseUnits;
    }
);

/** The account that a ticket belongs to, and its request. */
export interface TicketHolder extends RampAccount {
  /**
   * The request that opened the ticket. Required for off-ramps: at ramps without automatic payouts, the payout is requested
   * once the deposit has arrived.
   */
  readonly request?: TicketRequest | undefined;
  /** True for an off-ramp that has expired: a deposit is refunded, and not paid out. */
  readonly refundsLateDeposit?: boolean;
}

/** The state of a ticket, in the order of its life cycle. */
export type TicketState =
  | { readonly status: 'waitingForPayment' }
  /** The deposit has arrived at the ramp. */
  | { readonly status: 'processing' }
  | {
      readonly status: 'completed';
      /** On-ramp: the transaction of the settlement. */
      readonly txHash: string | undefined;
      /** Pix: id of the payment between banks. */
      readonly endToEndId: string | undefined;
      readonly amountOut: BaseUnits | undefined;
    }
  | { readonly status: 'refunding'; readonly reason: string }
  | { readonly status: 'refunded'; readonly txHash: string | undefined; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string };

/** A ramp's limit for an account. Amounts in the currency's cents; `undefined` when the ramp sets none. */
export interface AccountLimit {
  readonly currency: FiatCurrency;
  readonly rail: RampRail | undefined;
  readonly direction: RampRoute['direction'];
  readonly minimum: BaseUnits | undefined;
  readonly maximum: BaseUnits | undefined;
  readonly period: 'transaction' | 'day' | 'month' | 'year';
  readonly used: BaseUnits | undefined;
  readonly remaining: BaseUnits | undefined;
  readonly resetsAt: Date | undefined;
}

/**
 * A ramp: moves money between banks and chains for verified people.
 *
 * No payment is requested twice: `openTicket` is called once for an external id; when its response was lost, `findTicket`
 * finds out whether the ticket was opened. Failures are codes of the catalog; a ramp's error texts reach no caller.
 */
export interface RampProvider {
  readonly id: RampId;
  /** True when an off-ramp pays out the received amount, even if it differs slightly from the requested amount. */
  readonly paysOutReceivedAmount?: boolean;
  /** True when the refund of an off-ramp can go to the sending wallet only. */
  readonly refundsToSenderOnly?: boolean;
  /** Sends no request. */
  supports(route: RampRoute, options: { readonly thirdParty: boolean }): boolean;
  /** For ramps that need credentials of the deployment. @throws SECONDARY_RAMP_NOT_CONFIGURED */
  assertConfigured?(): void;
  /** @throws RAMP_AMOUNT_OUT_OF_RANGE, AMOUNT_EXCEEDS_PROVIDER_LIMIT, or the ramp's own codes of unavailability */
  quote(request: RampQuoteRequest, signal: AbortSignal): Promise<RampQuote>;
  /** @throws as `quote`, QUOTE_EXPIRED. Never UNKNOWN_OUTCOME: `findTicket` resolves an unknown outcome. */
  openTicket(request: TicketRequest, signal: AbortSignal): Promise<Ticket>;
  findTicket(request: TicketRequest, signal: AbortSignal): Promise<Ticket | undefined>;
  /**
   * Polls a ticket, and takes its next step at ramps that require a request for it. Polls of a ticket must not overlap. An
   * off-ramp is polled only after its deposit was sent, because the deposit address belongs to the person, not to the ticket.
   */
  ticketState(ticketId: string, holder: TicketHolder, signal: AbortSignal): Promise<TicketState>;
  /**
   * Cancels a ticket that waits for its deposit, at ramps that would execute it after any delay; a later deposit is refunded.
   * Resolves to the state afterwards: `failed` when it is cancelled, or the state that it had already reached.
   */
  cancelTicket?(ticketId: string, holder: TicketHolder, signal: AbortSignal): Promise<TicketState>;
  accountLimits(account: RampAccount, signal: AbortSignal): Promise<readonly AccountLimit[]>;
  /**
   * Resolves when a Pix key exists. Absent at ramps without a look-up.
   *
   * @throws INVALID_PIX_KEY, PIX_KEY_LOOKUP_FAILED, with `details.upstreamStatus` for a 5xx response
   */
  lookUpPixKey?(pixKey: string, signal: AbortSignal): Promise<void>;
}
