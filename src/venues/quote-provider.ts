import type { Hex } from 'viem';
import type { CustomerId } from '../auth/principal';
import type { Chain } from '../chains/chain';
import type { BaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
import type { FiatTerms } from '../ramps/fiat-terms';
import type { PaymentInstructions, RampRail } from '../ramps/ramp-provider';
import type { Token } from '../tokens/token';

/** A swap to be priced: everything checked, everything resolved. */
export interface QuoteRequest {
  readonly origin: Chain;
  readonly destination: Chain;
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  /** The exact amount asked for: of `tokenIn` on side `in`, of `tokenOut` on side `out`. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  readonly slippage: PartsPerMillion;
  /** Wallet that sends; absent when only a price is wanted. */
  readonly originAddress: string | undefined;
  /** Wallet that receives; absent when only a price is wanted. */
  readonly destinationAddress: string | undefined;
  /** Wallet on the origin chain that refunds go to; the sender when absent. */
  readonly refundAddress?: string | undefined;
  /** How soon a transfer between chains is to count as final; the provider decides when absent. */
  readonly transferSpeed?: TransferSpeed | undefined;
  /** Of routes from and to fiat: who carries them, and for whom. */
  readonly fiat?: FiatTerms | undefined;
}

/** How soon a transfer between chains counts as final. */
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

/** What a venue offers. Amounts in base units of their token. */
export interface ProviderQuote {
  readonly provider: string;
  readonly amountIn: BaseUnits;
  /** The most that leaves the wallet: `amountIn` on side `in`, `amountIn` plus slippage on side `out`. */
  readonly maxAmountIn: BaseUnits;
  readonly expectedAmountOut: BaseUnits;
  /** The least that arrives, or the transaction reverts. */
  readonly minAmountOut: BaseUnits;
  readonly route: readonly RouteLeg[];
  /** How much worse than the price of an infinitely small trade, in basis points; fees of the pools not counted. */
  readonly priceImpactBps: number;
  /** Gas units that the executing transaction takes, estimated. */
  readonly gasLimit: bigint;
  readonly estimatedDurationSeconds: number;
  /** What the venue takes of the amounts, already taken off them. None within one chain: pools take theirs in the price. */
  readonly fees?: readonly ProviderFee[] | undefined;
  /** Native coin of the origin chain that the call sends along on top of what is sold, in wei. */
  readonly nativeFee?: bigint | undefined;
  /** The speed that the transfer really has: a chain may know no fast one. */
  readonly transferSpeed?: TransferSpeed | undefined;
  /** What `build` needs again, as JSON: stored with the quote, never shown. */
  readonly execution: unknown;
  /** Provider data that the caller passes back unchanged; absent when the venue has none. */
  readonly rawQuote?: unknown;
}

/** A charge of a venue, in base units of the side that bears it. */
export interface ProviderFee {
  /** `paymentRail` when a bank or a ramp takes it. */
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
  /** Native coin sent along, in wei. */
  readonly value: bigint;
}

/** A call on an EVM chain that has to be executed, before approvals are decided. */
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

/** Instructions on Solana that have to be executed by one transaction; compute limit and price are added to them. */
export interface SolanaProgramCall {
  readonly kind: 'instructions';
  readonly chainId: number;
  /** Wallet that signs and pays. */
  readonly from: string;
  readonly instructions: readonly SolanaInstruction[];
  /** Addresses that look-up tables hold, by the address of the table. */
  readonly lookupTables: Readonly<Record<string, readonly string[]>>;
}

/** A deposit address that was opened for the swap: whoever pays to it executes it. For chains that know no calls. */
export interface DepositRequest {
  readonly kind: 'deposit';
  readonly chainId: number;
  readonly address: string;
  readonly amount: BaseUnits;
  /** By which the provider knows the deposit. */
  readonly reference: string;
}

/** A payment in fiat that a ramp waits for: whoever makes it executes the swap. There is nothing to sign. */
export interface PaymentRequest {
  readonly kind: 'payment';
  readonly chainId: number;
  readonly rail: RampRail;
  /** By which the ramp knows the payment. */
  readonly reference: string;
  readonly instructions: PaymentInstructions;
}

export type Execution = SwapCall | SolanaProgramCall | DepositRequest | PaymentRequest;

export interface BuildParameters {
  /** The action that it is built for: what is opened for it at a ramp is known by its id. Ramps build nothing without. */
  readonly action?: { readonly id: string; readonly quoteId: string; readonly customerId: CustomerId };
  readonly request: QuoteRequest;
  readonly quote: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** Unix seconds after which the transaction must revert. */
  readonly deadline: number;
}

export interface ProviderCapabilities {
  /** True when the venue can price this pair of chains and this side; decided without a call. */
  supports(request: Pick<QuoteRequest, 'origin' | 'destination' | 'side' | 'tokenIn' | 'tokenOut' | 'fiat'>): boolean;
}

/**
 * A venue that can price a swap or a transfer between chains.
 *
 * `quote` resolves to `undefined` when the venue has no route, and throws
 * PROVIDER_UNAVAILABLE when it could not be asked within the signal's deadline.
 */
export interface QuoteProvider {
  readonly id: string;
  /** False of providers that `preferredProvider` may not name: of ramps, which `rampProvider` pins. */
  readonly pinnable?: boolean;
  readonly capabilities: ProviderCapabilities;
  quote(request: QuoteRequest, signal: AbortSignal): Promise<ProviderQuote | undefined>;
  /** What executes a quote. @throws BYTECODE_GENERATION_FAILED, BRIDGE_API_ERROR, QUOTE_EXPIRED */
  build(parameters: BuildParameters, signal: AbortSignal): Promise<Execution>;
}
