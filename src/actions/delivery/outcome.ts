import type { BaseUnits } from '../../money/base-units';
import type { BridgeTransfer, DeliverySource, DeliveryState } from '../../venues/delivery-source';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { Substatus } from '../state/substatus';
import type { VerifiedBlock } from './onchain-check';
import type { RefundedAmount } from './refunded-amount';
import type { TransferAction } from './transfer-action';

/** The state of a transfer, as its provider reports it. */
export interface ProviderReport {
  readonly transfer: TransferAction;
  readonly bridgeTransfer: BridgeTransfer;
  readonly source: DeliverySource;
  readonly state: DeliveryState;
  readonly signal: AbortSignal;
}

/** Outcome of a poll, decided from the provider's report and the chains. */
export type DeliveryOutcome =
  /**
   * In progress; `completion` is the call that has to be sent to complete the transfer. `leftToReceiver`: it costs the
   * service too much, so that the receiver has to send it, and the transfer is polled rarely.
   */
  | {
      readonly kind: 'wait';
      readonly substatus: Substatus | undefined;
      readonly completion: UnsignedCall | undefined;
      readonly leftToReceiver?: boolean;
    }
  /** Arrived by this transaction; the tracker of its chain decides when it is final. */
  | {
      readonly kind: 'deliveredOnChain';
      readonly txHash: string;
      readonly block: VerifiedBlock;
      /** Base units of the bought token that the transaction moved to the receiver, for all its transfers together. */
      readonly total: bigint | undefined;
      readonly flaw: string | undefined;
    }
  /** Arrived according to the provider alone: the service does not read the chain, or a bank was paid. */
  | {
      readonly kind: 'reportedDelivered';
      readonly txHash: string | undefined;
      readonly amount: BaseUnits | undefined;
      readonly flaw: string | undefined;
    }
  | { readonly kind: 'refunded'; readonly refund: ObservedRefund; readonly reason: string }
  /** The provider cannot carry out the transfer. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The origin was not seen in time, and a later payment is rejected by the provider. */
  | { readonly kind: 'expired' };

export interface ObservedRefund {
  readonly chainId: number;
  /** Address of the refunded token, when it is not the token that was sold. */
  readonly token?: string | undefined;
  /** `undefined` for a bank payment. */
  readonly txHash: string | undefined;
  readonly amount: BaseUnits | undefined;
  /** This action's part of the refund; `undefined` when neither the provider nor the chain states an amount. */
  readonly refundedAmount?: RefundedAmount | undefined;
  /** Base units of the sold token that the transaction moved back to this wallet, for all its transfers together. */
  readonly total: bigint | undefined;
  /** `undefined` on a chain that the service does not read. */
  readonly block: VerifiedBlock | undefined;
}

/** A deposit that the provider has seen. */
export interface ObservedDeposit {
  readonly txHash: string | undefined;
  /** True when the provider accepts it as final. */
  readonly final: boolean;
}
