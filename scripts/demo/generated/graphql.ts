/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Status of an action. */
export type ActionStatus =
  /** A transaction reverted, the provider failed, too little arrived, or it expired. When nothing was moved, a later transaction may still execute it for a week. */
  | 'FAILED'
  /** Created; no transaction of it was found yet. */
  | 'INITIAL'
  /** Its origin transaction was found. */
  | 'PENDING'
  /** The refund is final on its chain, or the provider reported it. */
  | 'REFUNDED'
  /** All transactions are final and the output has arrived. */
  | 'SUCCESS';

export type ActionChangedSubscriptionVariables = Exact<{
  id: string;
}>;


export type ActionChangedSubscription = { actionChanged: { status: ActionStatus, substatus: string | null } };

export type ExecutableQuoteQueryVariables = Exact<{
  chain: string;
  tokenIn: string;
  tokenOut: string;
  amountIn: string;
  wallet: string;
}>;


export type ExecutableQuoteQuery = { swapQuote: { id: string | null, quote: { quoteId: string, provider: string, expectedAmountOut: string }, transactionData: { transactions: Array<{ to: string | null, data: string | null, value: string | null }> | null } | null } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const ActionChangedDocument = new TypedDocumentString(`
    subscription ActionChanged($id: UUID!) {
  actionChanged(id: $id) {
    status
    substatus
  }
}
    `) as unknown as TypedDocumentString<ActionChangedSubscription, ActionChangedSubscriptionVariables>;
export const ExecutableQuoteDocument = new TypedDocumentString(`
    query ExecutableQuote($chain: ChainName!, $tokenIn: String!, $tokenOut: String!, $amountIn: Amount!, $wallet: String!) {
  swapQuote(
    originChain: $chain
    destinationChain: $chain
    tokenIn: $tokenIn
    tokenOut: $tokenOut
    amountIn: $amountIn
    originAddress: $wallet
    destinationAddress: $wallet
  ) {
    id
    quote {
      quoteId
      provider
      expectedAmountOut
    }
    transactionData {
      transactions {
        to
        data
        value
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ExecutableQuoteQuery, ExecutableQuoteQueryVariables>;