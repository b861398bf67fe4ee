import type { Chain } from '../chains/chain';
import type { BaseUnits } from '../money/base-units';
import type { Token } from '../tokens/token';
import type { UsdBeneficiary } from './usd-beneficiary';

/** Which of the two ramps: the default one, or the one that customers opt into. Brand names are configuration. */
export const RAMP_IDS = ['primary', 'secondary'] as const;
export type RampId = (typeof RAMP_IDS)[number];

export type FiatCurrency = 'BRL' | 'USD';
export type RampRail = 'PIX' | 'ACH' | 'WIRE';

/** Money from a bank to a token on chain, or the other way round. */
export interface RampRoute {
  readonly direction: 'onRamp' | 'offRamp';
  readonly currency: FiatCurrency;
  readonly rail: RampRail;
  /** Paid out by the ramp, or taken by it. */
  readonly token: Token;
  readonly chain: Chain;
}

/** A person's account at a ramp, as the ramp knows it. */
export interface RampAccount {
  readonly accountId: string;
  readonly kycUserId: string;
}

/** Amounts: fiat in cents, tokens in base units. */
export interface RampQuoteRequest {
  readonly route: RampRoute;
  /** The exact amount is of what goes in, or of what comes out. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  /** Absent when only a price is wanted. */
  readonly account: RampAccount | undefined;
  /** Pix: the money goes to somebody else than the account's holder. */
  readonly thirdParty: boolean;
}

/** A charge of the ramp, already taken off, in the unit of the side that bears it. */
export interface RampFee {
  readonly label: string;
  readonly asset: 'in' | 'out';
  readonly amount: BaseUnits;
}

export interface RampQuote {
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly fees: readonly RampFee[];
  /** Until when the ramp keeps it: seconds, at some ramps. A ticket is opened with a quote of its own. */
  readonly expiresAt: Date;
  /** What opening a ticket needs of it, as JSON. Never shown. */
  readonly execution: unknown;
}

/** Where fiat is paid to. */
export type PayoutDestination =
  | { readonly rail: 'PIX'; readonly pixKey: string; readonly thirdParty: boolean }
  | { readonly rail: 'ACH' | 'WIRE'; readonly beneficiary: UsdBeneficiary };

export interface TicketRequest {
  readonly route: RampRoute;
  readonly quote: RampQuote;
  readonly account: RampAccount;
  /** Our id of the money movement: a ticket is found by it when the answer to opening it was lost. */
  readonly externalId: string;
  /** Wallet that receives (on-ramp) or sends (off-ramp) the token. */
  readonly walletAddress: string;
  /** Where the token of an off-ramp goes back to, at ramps that can be told; the wallet that sent it when absent. */
  readonly refundAddress?: string | undefined;
  /** Carried in the memo of Solana transfers. */
  readonly memo?: string | undefined;
  /** Only of off-ramps. */
  readonly payout: PayoutDestination | undefined;
  /** What has to come out at least: of an off-ramp that is carried out later for less, the token goes back. */
  readonly minAmountOut?: BaseUnits | undefined;
}

/** How the customer pays in: exactly one of them. */
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
  /** Has to stand in the payment, or the ramp cannot tell whose it is. */
  readonly memo: string | undefined;
}

/** A money movement that the ramp has accepted. */
export type Ticket = { readonly ticketId: string } & (
  | { readonly kind: 'payIn'; readonly instructions: PaymentInstructions }
  | {
      readonly kind: 'payOut';
      /** Account on chain that the token has to be sent to; exactly `amount` base units. */
      readonly depositAddress: string;
      readonly amount: BaseUnits;
    }
);

/** Whose ticket it is. */
export interface TicketHolder extends RampAccount {
  /**
   * What the ticket was opened with. Off-ramps need it: ramps without payouts of their own accord are told to pay out,
   * once, when the token has arrived.
   */
  readonly request?: TicketRequest | undefined;
  /** Of an off-ramp whose token came too late: it is not paid out any more, but sent back. */
  readonly refundsLateDeposit?: boolean;
}

/** How far a ticket is, in the order of its life. */
export type TicketState =
  | { readonly status: 'waitingForPayment' }
  /** The payment, or the token, has arrived at the ramp. */
  | { readonly status: 'processing' }
  | {
      readonly status: 'completed';
      /** On-ramp: the transaction that paid the token out. */
      readonly txHash: string | undefined;
      /** Pix: id of the payment between banks. */
      readonly endToEndId: string | undefined;
      readonly amountOut: BaseUnits | undefined;
    }
  | { readonly status: 'refunding'; readonly reason: string }
  | { readonly status: 'refunded'; readonly txHash: string | undefined; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string };

/** What a ramp still lets an account move. Amounts in the currency's cents; `undefined` where the ramp sets none. */
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
 * A ramp: moves money between banks and chains for people that it knows.
 *
 * Money is never posted twice: `openTicket` is called once for an external id; when its answer was lost, `findTicket`
 * tells whether it was heard. Failures are codes of the catalog; what a ramp says in words reaches no caller.
 */
export interface RampProvider {
  readonly id: RampId;
  /** True when an off-ramp pays out what has arrived, be it a little more or less than was asked for. */
  readonly paysOutReceivedAmount?: boolean;
  /** True when what an off-ramp gives back goes to the wallet that sent it, and nowhere else. */
  readonly refundsToSenderOnly?: boolean;
  /** Decided without a call. */
  supports(route: RampRoute, options: { readonly thirdParty: boolean }): boolean;
  /** Where a deployment may lack what the ramp is asked with. @throws SECONDARY_RAMP_NOT_CONFIGURED */
  assertConfigured?(): void;
  /** @throws RAMP_AMOUNT_OUT_OF_RANGE, AMOUNT_EXCEEDS_PROVIDER_LIMIT, or the ramp's own codes of unavailability */
  quote(request: RampQuoteRequest, signal: AbortSignal): Promise<RampQuote>;
  /** @throws as `quote`, QUOTE_EXPIRED; UNKNOWN_OUTCOME is never thrown: an unclear answer is resolved by `findTicket`. */
  openTicket(request: TicketRequest, signal: AbortSignal): Promise<Ticket>;
  findTicket(request: TicketRequest, signal: AbortSignal): Promise<Ticket | undefined>;
  /**
   * Carries the ticket one step further, where the ramp leaves that to us. One look at a time for a ticket; of an off-ramp
   * only once its token was sent, since the account that it is sent to is the person's, not the ticket's.
   */
  ticketState(ticketId: string, holder: TicketHolder, signal: AbortSignal): Promise<TicketState>;
  /**
   * Ends a ticket that waits for its payment, at ramps that would carry it out whenever that comes: what comes later is
   * given back. Resolves to how far it is then: `failed` when it is ended, where it was already when it was too late.
   */
  cancelTicket?(ticketId: string, holder: TicketHolder, signal: AbortSignal): Promise<TicketState>;
  accountLimits(account: RampAccount, signal: AbortSignal): Promise<readonly AccountLimit[]>;
  /**
   * Whether a Pix key exists; `undefined` when this ramp cannot tell.
   *
   * @throws INVALID_PIX_KEY, PIX_KEY_LOOKUP_FAILED with `details.upstreamStatus` when it answered 5xx
   */
  lookUpPixKey?(pixKey: string, signal: AbortSignal): Promise<void>;
}
