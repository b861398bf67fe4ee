import type { Hex } from 'viem';
import type { Chain } from '../chains/chain';
import type { BaseUnits } from '../money/base-units';
import type { PartsPerMillion } from '../money/slippage';
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
}

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
  /** What `buildCalls` needs again, as JSON: stored with the quote, never shown. */
  readonly execution: unknown;
  /** Provider data that the caller passes back unchanged; absent when the venue has none. */
  readonly rawQuote?: unknown;
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

/** What has to be executed, before approvals are decided. */
export interface SwapCall extends UnsignedCall {
  /** Contract that pulls `tokenIn`; absent when the input is the native coin. */
  readonly spender: string | undefined;
}

export interface BuildParameters {
  readonly request: QuoteRequest;
  readonly quote: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** Unix seconds after which the transaction must revert. */
  readonly deadline: number;
}

export interface ProviderCapabilities {
  /** True when the venue can price this pair of chains and this side; decided without a call. */
  supports(request: Pick<QuoteRequest, 'origin' | 'destination' | 'side' | 'tokenIn' | 'tokenOut'>): boolean;
}

/**
 * A venue that can price a swap or a transfer between chains.
 *
 * `quote` resolves to `undefined` when the venue has no route, and throws
 * PROVIDER_UNAVAILABLE when it could not be asked within the signal's deadline.
 */
export interface QuoteProvider {
  readonly id: string;
  readonly capabilities: ProviderCapabilities;
  quote(request: QuoteRequest, signal: AbortSignal): Promise<ProviderQuote | undefined>;
  /** The transaction that executes a quote. @throws BYTECODE_GENERATION_FAILED */
  buildCall(parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall>;
}
