import { deliverySources } from '../../src/actions/delivery/delivery-sources';
import type { SwapStatusDeps } from '../../src/actions/swap-status';
import type { SwapTransactionDeps } from '../../src/transactions/create-swap-transaction';
import type { TransferDeps } from '../../src/transactions/transfers/create-transfer';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { actionParts } from './actions';
import { SwapQuoteResolver, type SwapQuoteResolverDeps } from './quotes/resolver';
import { quoteSubscriptions, type QuoteStreamDeps } from './quotes/stream-resolver';
import { SwapTransactionResolver } from './transactions/resolver';
import { TransferResolver } from './transfers/resolver';

export type SwapsDeps = SwapStatusDeps & SwapQuoteResolverDeps & QuoteStreamDeps & SwapTransactionDeps & TransferDeps;

/** The subgraph of quotes, their transactions and their actions. */
export function createSwapsSubgraph(deps: SwapsDeps): Subgraph {
  const actions = actionParts({ ...deps, sources: deliverySources(deps.providers) });
  return buildSubgraph({
    ...actions,
    name: 'swaps',
    resolvers: [
      new SwapQuoteResolver(deps),
      new SwapTransactionResolver(deps),
      new TransferResolver(deps),
      quoteSubscriptions(deps),
      ...actions.resolvers,
    ],
  });
}
