/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  mutation SetStrategyFees(\n    $strategyId: String!\n    $performance: Int!\n    $markup: Int!\n    $collector: String\n    $partner: String\n  ) {\n    setStrategyFees(\n      strategyId: $strategyId\n      performanceFeeBps: $performance\n      markupFeeBps: $markup\n      feeCollector: $collector\n      markupRecipient: $partner\n    ) {\n      strategyId\n    }\n  }\n": typeof types.SetStrategyFeesDocument,
    "\n  query StrategyFees($strategyId: String!) {\n    customerStrategy(strategyId: $strategyId) {\n      performanceFeeBps\n      markupFeeBps\n      freeUntilBlock\n      activation {\n        state\n        reason\n      }\n    }\n  }\n": typeof types.StrategyFeesDocument,
    "\n  subscription ActionChanged($id: UUID!) {\n    actionChanged(id: $id) {\n      status\n      substatus\n    }\n  }\n": typeof types.ActionChangedDocument,
    "\n  query ExecutableQuote(\n    $chain: ChainName!\n    $tokenIn: String!\n    $tokenOut: String!\n    $amountIn: Amount!\n    $wallet: String!\n  ) {\n    swapQuote(\n      originChain: $chain\n      destinationChain: $chain\n      tokenIn: $tokenIn\n      tokenOut: $tokenOut\n      amountIn: $amountIn\n      originAddress: $wallet\n      destinationAddress: $wallet\n    ) {\n      id\n      quote {\n        quoteId\n        provider\n        expectedAmountOut\n      }\n      transactionData {\n        transactions {\n          to\n          data\n          value\n        }\n      }\n    }\n  }\n": typeof types.ExecutableQuoteDocument,
};
const documents: Documents = {
    "\n  mutation SetStrategyFees(\n    $strategyId: String!\n    $performance: Int!\n    $markup: Int!\n    $collector: String\n    $partner: String\n  ) {\n    setStrategyFees(\n      strategyId: $strategyId\n      performanceFeeBps: $performance\n      markupFeeBps: $markup\n      feeCollector: $collector\n      markupRecipient: $partner\n    ) {\n      strategyId\n    }\n  }\n": types.SetStrategyFeesDocument,
    "\n  query StrategyFees($strategyId: String!) {\n    customerStrategy(strategyId: $strategyId) {\n      performanceFeeBps\n      markupFeeBps\n      freeUntilBlock\n      activation {\n        state\n        reason\n      }\n    }\n  }\n": types.StrategyFeesDocument,
    "\n  subscription ActionChanged($id: UUID!) {\n    actionChanged(id: $id) {\n      status\n      substatus\n    }\n  }\n": types.ActionChangedDocument,
    "\n  query ExecutableQuote(\n    $chain: ChainName!\n    $tokenIn: String!\n    $tokenOut: String!\n    $amountIn: Amount!\n    $wallet: String!\n  ) {\n    swapQuote(\n      originChain: $chain\n      destinationChain: $chain\n      tokenIn: $tokenIn\n      tokenOut: $tokenOut\n      amountIn: $amountIn\n      originAddress: $wallet\n      destinationAddress: $wallet\n    ) {\n      id\n      quote {\n        quoteId\n        provider\n        expectedAmountOut\n      }\n      transactionData {\n        transactions {\n          to\n          data\n          value\n        }\n      }\n    }\n  }\n": types.ExecutableQuoteDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetStrategyFees(\n    $strategyId: String!\n    $performance: Int!\n    $markup: Int!\n    $collector: String\n    $partner: String\n  ) {\n    setStrategyFees(\n      strategyId: $strategyId\n      performanceFeeBps: $performance\n      markupFeeBps: $markup\n      feeCollector: $collector\n      markupRecipient: $partner\n    ) {\n      strategyId\n    }\n  }\n"): typeof import('./graphql').SetStrategyFeesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query StrategyFees($strategyId: String!) {\n    customerStrategy(strategyId: $strategyId) {\n      performanceFeeBps\n      markupFeeBps\n      freeUntilBlock\n      activation {\n        state\n        reason\n      }\n    }\n  }\n"): typeof import('./graphql').StrategyFeesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription ActionChanged($id: UUID!) {\n    actionChanged(id: $id) {\n      status\n      substatus\n    }\n  }\n"): typeof import('./graphql').ActionChangedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ExecutableQuote(\n    $chain: ChainName!\n    $tokenIn: String!\n    $tokenOut: String!\n    $amountIn: Amount!\n    $wallet: String!\n  ) {\n    swapQuote(\n      originChain: $chain\n      destinationChain: $chain\n      tokenIn: $tokenIn\n      tokenOut: $tokenOut\n      amountIn: $amountIn\n      originAddress: $wallet\n      destinationAddress: $wallet\n    ) {\n      id\n      quote {\n        quoteId\n        provider\n        expectedAmountOut\n      }\n      transactionData {\n        transactions {\n          to\n          data\n          value\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').ExecutableQuoteDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
