import type { BaseUnits } from '../../money/base-units';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { Substatus } from '../state/substatus';
import type { CameBack } from './refunded-amount';

/** What is to be noted of a delivery, after its provider and the chains were asked. */
export type Verdict =
  /** It is on its way; `completion` is the call that somebody has to send. */
  | { readonly kind: 'wait'; readonly substatus: Substatus | undefined; readonly completion: UnsignedCall | undefined }
  /** It arrived by this transaction, whose finality the tracker of its chain waits for. */
  | {
      readonly kind: 'arrived';
      readonly txHash: string;
      readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint };
      /** What the transaction brought of the token that was bought, of all transfers to this wallet. */
      readonly total: bigint | undefined;
      readonly flaw: string | undefined;
    }
  /** It arrived, by the word of the provider: nobody here reads the chain, or it was paid to a bank. */
  | {
      readonly kind: 'delivered';
      readonly txHash: string | undefined;
      readonly amount: BaseUnits | undefined;
      readonly flaw: string | undefined;
    }
  /** The money came back. */
  | { readonly kind: 'refunded'; readonly refund: SeenRefund; readonly reason: string }
  /** The provider gave up. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nothing was seen of it in time, and nothing that comes later is carried on. */
  | { readonly kind: 'expired' };

export interface SeenRefund {
  readonly chainId: number;
  /** Address of the token that came back, when it is not the one that was sold. */
  readonly token?: string | undefined;
  /** `undefined` of a payment to a bank. */
  readonly txHash: string | undefined;
  readonly amount: BaseUnits | undefined;
  /** What it is for this action; `undefined` when nobody tells. */
  readonly cameBack?: CameBack | undefined;
  /** What the transaction brought back of the token that was sold, of all transfers of this wallet, if that is known. */
  readonly total: bigint | undefined;
  /** `undefined` on a chain that nobody here reads. */
  readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint } | undefined;
}

/** What is known of a deposit that was asked for. */
export interface SeenDeposit {
  readonly txHash: string | undefined;
  /** True when the provider counts on it. */
  readonly final: boolean;
}
