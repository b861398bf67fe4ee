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

/** State of a request for higher fees on profit. */
export type FeeActivationState =
  /** The fees apply. */
  | 'ACTIVE'
  /** The state could not be read. The former fees apply; the request may be repeated. */
  | 'FAILED'
  /** A worker reads the state of the strategy from which profit counts. */
  | 'RECONCILING'
  /** No worker has begun. */
  | 'REQUESTED';

export type SetStrategyFeesMutationVariables = Exact<{
  strategyId: string;
  performance: number;
  markup: number;
  collector?: string | null | undefined;
  partner?: string | null | undefined;
}>;


export type SetStrategyFeesMutation = { setStrategyFees: { strategyId: string } };

export type StrategyFeesQueryVariables = Exact<{
  strategyId: string;
}>;


export type StrategyFeesQuery = { customerStrategy: { performanceFeeBps: number, markupFeeBps: number, freeUntilBlock: string | null, activation: { state: FeeActivationState, reason: string | null } | null } };

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

export const SetStrategyFeesDocument = new TypedDocumentString(`
    mutation SetStrategyFees($strategyId: String!, $performance: Int!, $markup: Int!, $collector: String, $partner: String) {
  setStrategyFees(
    strategyId: $strategyId
    performanceFeeBps: $performance
    markupFeeBps: $markup
    feeCollector: $collector
    markupRecipient: $partner
  ) {
    strategyId
  }
}
    `) as unknown as TypedDocumentString<SetStrategyFeesMutation, SetStrategyFeesMutationVariables>;
export const StrategyFeesDocument = new TypedDocumentString(`
    query StrategyFees($strategyId: String!) {
  customerStrategy(strategyId: $strategyId) {
    performanceFeeBps
    markupFeeBps
    freeUntilBlock
    activation {
      state
      reason
    }
  }
}
    `) as unknown as TypedDocumentString<StrategyFeesQuery, StrategyFeesQueryVariables>;
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