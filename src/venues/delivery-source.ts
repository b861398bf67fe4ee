import type { BaseUnits } from '../money/base-units';
import type { ProviderQuote, QuoteProvider, QuoteRequest, UnsignedCall } from './quote-provider';

/** A transfer between chains whose origin transaction is mined, or whose deposit was asked for. */
export interface Shipment {
  readonly actionId: string;
  readonly request: QuoteRequest;
  readonly quote: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** Transaction that started it, on the origin chain; `undefined` while a deposit is waited for. */
  readonly originTxHash: string | undefined;
  /** False while that transaction may yet be undone. */
  readonly originIsFinal?: boolean;
  /** True when the action had been given up before anything was seen of it: what comes now goes back. */
  readonly isLate?: boolean;
  /** Deposit that was asked for, where the origin chain knows no calls. */
  readonly deposit?: { readonly address: string; readonly reference: string } | undefined;
  /** What the last look left behind, as JSON; `undefined` at the first. */
  readonly memory: unknown;
}

/**
 * Where a transfer is. `memory` is handed back at the next look; `originTxHash` is the transaction that started it, where
 * only the provider knows.
 */
export type DeliveryState = { readonly memory?: unknown; readonly originTxHash?: string | undefined } & (
  | {
      readonly status: 'inFlight';
      /** `DEPOSIT`: nothing arrived yet. `COMPLETION`: somebody has to send the completing call. `PAYOUT`: to a bank. */
      readonly waitingFor: 'DEPOSIT' | 'CONFIRMATIONS' | 'ATTESTATION' | 'DESTINATION' | 'COMPLETION' | 'PAYOUT';
    }
  | {
      readonly status: 'delivered';
      /** `undefined` of a payment to a bank. */
      readonly txHash: string | undefined;
      /** In base units of `tokenOut`, as far as the provider tells; the chain is asked as well. */
      readonly amount: BaseUnits | undefined;
      /** True when something else arrived than what was bought, or less than the minimum. */
      readonly partial: boolean;
    }
  | { readonly status: 'refunding'; readonly reason: string }
  | {
      readonly status: 'refunded';
      readonly chainId: number;
      /** Address of the token that comes back, when it is not the one that was sold. */
      readonly token?: string | undefined;
      /** `undefined` of a payment to a bank. */
      readonly txHash: string | undefined;
      readonly amount: BaseUnits | undefined;
      readonly reason: string;
    }
  | { readonly status: 'failed'; readonly reason: string }
);

/**
 * Follows the transfers of one provider. Every function may be asked again at any time, by any replica, and throws
 * PROVIDER_UNAVAILABLE or BRIDGE_API_ERROR when the provider could not be asked: the next look comes later.
 */
export interface DeliverySource {
  follow(shipment: Shipment, signal: AbortSignal): Promise<DeliveryState>;
  /** The call on the destination chain, for anybody to send, that completes a transfer which waits for COMPLETION. */
  completion?(shipment: Shipment, signal: AbortSignal): Promise<UnsignedCall | undefined>;
  /**
   * Has the provider carry on nothing that arrives from now on; asked for when an action expires. `underWay` when that is
   * too late: something has arrived, and is carried on.
   */
  callOff?(shipment: Shipment, signal: AbortSignal): Promise<'calledOff' | 'underWay'>;
  /**
   * Asks for the money back, where it does not come by itself.
   *
   * @throws INSUFFICIENT_AMOUNT_FOR_REFUND when it does not cover the fee of the refund, REFUND_PROCESSING_FAILED
   */
  refund?(shipment: Shipment, refundAddress: string, signal: AbortSignal): Promise<void>;
}

/** A venue that moves tokens between chains, or swaps on a chain where nothing else tells how a swap ended. */
export interface BridgeProvider extends QuoteProvider {
  /** Who carries out the last step, on the destination chain: the provider itself, unless it says otherwise. */
  readonly completedBy?: 'PROVIDER' | 'SERVICE' | undefined;
  readonly deliveries: DeliverySource;
}
