import type { BaseUnits } from '../money/base-units';
import type { ProviderQuote, QuoteRequest, UnsignedCall } from './quote-provider';

/** A transfer that a provider carries out after its origin transaction is mined or its deposit address is issued. */
export interface BridgeTransfer {
  readonly actionId: string;
  readonly request: QuoteRequest;
  readonly quote: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** Transaction on the origin chain that started the transfer; `undefined` while a deposit is awaited. */
  readonly originTxHash: string | undefined;
  /** False while a reorganisation may still undo the origin transaction. */
  readonly originIsFinal?: boolean;
  /** True when the action had failed before its payment was seen: a payment that arrives now is returned. */
  readonly isExpired?: boolean;
  /** Deposit address issued for the transfer, where the origin chain has no contract calls. */
  readonly deposit?: { readonly address: string; readonly reference: string } | undefined;
  /** State that the previous poll returned, as JSON; `undefined` at the first poll. */
  readonly checkpoint: unknown;
}

/**
 * Progress of a transfer.
 *
 * - `checkpoint`: passed to the next poll; when absent, the stored one is kept.
 * - `originTxHash`: the transaction that started the transfer, when only the provider reports it.
 */
export type DeliveryState = { readonly checkpoint?: unknown; readonly originTxHash?: string | undefined } & (
  | {
      readonly status: 'inFlight';
      /** `DEPOSIT`: not seen yet. `COMPLETION`: the completing call has to be sent. `PAYOUT`: to a bank. */
      readonly waitingFor: 'DEPOSIT' | 'CONFIRMATIONS' | 'ATTESTATION' | 'DESTINATION' | 'COMPLETION' | 'PAYOUT';
    }
  | {
      readonly status: 'delivered';
      /** `undefined` for a bank payment. */
      readonly txHash: string | undefined;
      /** Base units of `tokenOut` that the provider reports; verified on chain where possible. */
      readonly amount: BaseUnits | undefined;
      /** True when another token, or less than the minimum, was delivered. */
      readonly partial: boolean;
    }
  | { readonly status: 'refunding'; readonly reason: string }
  | {
      readonly status: 'refunded';
      readonly chainId: number;
      /** Address of the refunded token, when it is not the token that was sold. */
      readonly token?: string | undefined;
      /** `undefined` for a bank payment. */
      readonly txHash: string | undefined;
      readonly amount: BaseUnits | undefined;
      readonly reason: string;
    }
  | { readonly status: 'failed'; readonly reason: string }
);

/**
 * Reports the progress of one provider's transfers. Each function may be called again at any time, by any replica.
 *
 * @throws PROVIDER_UNAVAILABLE or BRIDGE_API_ERROR when the provider does not respond; the poll is repeated later.
 */
export interface DeliverySource {
  follow(transfer: BridgeTransfer, signal: AbortSignal): Promise<DeliveryState>;
  /** Call on the destination chain that completes a transfer waiting for COMPLETION. Any account may send it. */
  completion?(transfer: BridgeTransfer, signal: AbortSignal): Promise<UnsignedCall | undefined>;
  /**
   * Makes the provider reject payments from now on; called when an action expires. Resolves to `inProgress` when a
   * payment has already arrived and is being carried out.
   */
  cancel?(transfer: BridgeTransfer, signal: AbortSignal): Promise<'cancelled' | 'inProgress'>;
  /**
   * Requests a refund from a provider that does not refund by itself.
   *
   * @throws INSUFFICIENT_AMOUNT_FOR_REFUND when the amount does not cover the fee of the refund, REFUND_PROCESSING_FAILED
   */
  refund?(transfer: BridgeTransfer, refundAddress: string, signal: AbortSignal): Promise<void>;
}
