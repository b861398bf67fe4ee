import type { Hex } from 'viem';
import type { CustomerId } from '../auth/principal';
import type { Chain } from '../chains/chain';
import type { BaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
import type { FiatTerms } from '../ramps/fiat-terms';
import type { PaymentInstructions, RampRail } from '../ramps/ramp-provider';
import type { Token } from '../tokens/token';

/** A swap to price. All fields are validated and resolved. */
export interface QuoteRequest {
  readonly origin: Chain;
  readonly destination: Chain;
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  /** The exact amount requested, in base units of `tokenIn` on side `in`, of `tokenOut` on side `out`. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  readonly slippage: PartsPerMillion;
  /** Sending wallet; absent when only a price is requested. */
  readonly originAddress: string | undefined;
  /** Receiving wallet; absent when only a price is requested. */
  readonly destinationAddress: string | undefined;
  /** Wallet on the origin chain that receives refunds; the sender when absent. */
  readonly refundAddress?: string | undefined;
  /** Requested finality of a transfer between chains; the provider decides when absent. */
  readonly transferSpeed?: TransferSpeed | undefined;
  /** The ramp, rail and account of a fiat route. */
  readonly fiat?: FiatTerms | undefined;
}

/** Finality of a transfer between chains. */
export const TRANSFER_SPEEDS = ['fast', 'standard'] as const;
export type TransferSpeed = (typeof TRANSFER_SPEEDS)[number];

/** One pool (or bridge) that a trade goes through. */
export interface RouteLeg {
  readonly protocol: string;
  readonly chainId: number;
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** Share of the trade that takes this leg, in basis points. */
  readonly shareBps: number;
  readonly pool: string;
}

/** A provider's quote. Amounts are in base units of their token. */
export interface ProviderQuote {
  readonly provider: string;
  readonly amountIn: BaseUnits;
  /** Maximum amount that leaves the wallet: `amountIn` on side `in`, `amountIn` plus slippage on side `out`. */
  readonly maxAmountIn: BaseUnits;
  readonly expectedAmountOut: BaseUnits;
  /** Minimum amount received; below it the transaction reverts. */
  readonly minAmountOut: BaseUnits;
  readonly route: readonly RouteLeg[];
  /**
   * Price impact that the venue reports, in basis points; `undefined` when it reports none. Used only without market prices:
   * with them the impact is measured against these, for every venue.
   */
  readonly priceImpactBps: number | undefined;
  /** Estimated gas units of the executing transaction. */
  readonly gasLimit: bigint;
  readonly estimatedDurationSeconds: number;
  /** Fees of the venue, already subtracted from the amounts. Empty within one chain: pool fees are part of the price. */
  readonly fees?: readonly ProviderFee[] | undefined;
  /** Native coin of the origin chain that the call pays on top of `amountIn`, in wei. */
  readonly nativeFee?: bigint | undefined;
  /** The actual speed of the transfer: not every chain supports fast transfers. */
  readonly transferSpeed?: TransferSpeed | undefined;
  /** Provider data for `build`, as JSON. Stored with the quote, never shown. */
  readonly execution: unknown;
  /** Provider data that the caller passes back unchanged; absent when the venue has none. */
  readonly rawQuote?: unknown;
}

/** A fee of a venue, in base units of the token it is taken from. */
export interface ProviderFee {
  /** `paymentRail` when a bank or a ramp charges it. */
  readonly kind?: 'paymentRail' | undefined;
  readonly label: string;
  readonly asset: 'tokenIn' | 'tokenOut';
  readonly amount: BaseUnits;
}

/** A call for the caller to sign. */
export interface UnsignedCall {
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent with the call, in wei. */
  readonly value: bigint;
}

/** The call on an EVM chain that executes a swap, without its approvals. */
export interface SwapCall extends UnsignedCall {
  readonly kind: 'call';
  /** Contract that pulls `tokenIn`; absent when the input is the native coin. */
  readonly spender: string | undefined;
}

/** One instruction of a Solana transaction; `data` is base64. */
export interface SolanaInstruction {
  readonly programId: string;
  readonly accounts: readonly { readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }[];
  readonly data: string;
}

/** Solana instructions for one transaction; the compute limit and price are added later. */
export interface SolanaProgramCall {
  readonly kind: 'instructions';
  readonly chainId: number;
  /** Wallet that signs and pays. */
  readonly from: string;
  readonly instructions: readonly SolanaInstruction[];
  /** Contents of the address lookup tables, by table address. */
  readonly lookupTables: Readonly<Record<string, readonly string[]>>;
}

/** A deposit address for the swap. A deposit to it executes the swap. For chains without contract calls. */
export interface DepositRequest {
  readonly kind: 'deposit';
  readonly chainId: number;
  readonly address: string;
  readonly amount: BaseUnits;
  /** The provider's id of the deposit. */
  readonly reference: string;
}

/** A fiat payment that a ramp expects. The payment executes the swap; there is nothing to sign. */
export interface PaymentRequest {
  readonly kind: 'payment';
  readonly chainId: number;
  readonly rail: RampRail;
  /** The ramp's id of the payment. */
  readonly reference: string;
  readonly instructions: PaymentInstructions;
}

export type ProviderExecution = SwapCall | SolanaProgramCall | DepositRequest | PaymentRequest;

export interface BuildParameters {
  /** The action that the execution belongs to. Required by ramps: its id is the idempotency key of the ticket. */
  readonly action?: { readonly id: string; readonly quoteId: string; readonly customerId: CustomerId };
  readonly request: QuoteRequest;
  readonly quote: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** Unix seconds after which the transaction must revert. */
  readonly deadline: number;
}

export interface ProviderCapabilities {
  /** True when the venue can price this route and side; decided without a network call. */
  supports(request: Pick<QuoteRequest, 'origin' | 'destination' | 'side' | 'tokenIn' | 'tokenOut' | 'fiat'>): boolean;
}

/**
 * A venue that can price a swap or a transfer between chains.
 *
 * `quote` resolves to `undefined` when the venue has no route, and throws
 * PROVIDER_UNAVAILABLE when it does not respond within the signal's deadline.
 */
export interface QuoteProvider {
  readonly id: string;
  /** False for ramps: `rampProvider` selects them, not `preferredProvider`. */
  readonly selectable?: boolean;
  readonly capabilities: ProviderCapabilities;
  quote(request: QuoteRequest, signal: AbortSignal): Promise<ProviderQuote | undefined>;
  /** Builds what executes a quote. @throws BYTECODE_GENERATION_FAILED, BRIDGE_API_ERROR, QUOTE_EXPIRED */
  build(parameters: BuildParameters, signal: AbortSignal): Promise<ProviderExecution>;
}
