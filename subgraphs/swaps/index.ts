import type { CancelDeps } from '../../src/actions/cancel-action';
import { deliverySources } from '../../src/actions/delivery/delivery-sources';
import type { SwapStatusDeps } from '../../src/actions/swap-status';
import type { SwapTransactionDeps } from '../../src/transactions/create-swap-transaction';
import type { TransferDeps } from '../../src/transactions/transfers/create-transfer';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { actionParts } from './actions';
import { SwapQuoteResolver, type SwapQuoteResolverDeps } from './quotes/resolver';
import { quoteSubscriptions, type QuoteStreamDeps } from './quotes/stream-resolver';
import { SwapTransactionResolver } from './transactions/resolver';
import { tokenParts } from './tokens';
import type { TokenResolverDeps } from './tokens/resolver';
import { TransferResolver } from './transfers/resolver';

export type SwapsDeps = SwapStatusDeps &
  CancelDeps &
  SwapQuoteResolverDeps &
  QuoteStreamDeps &
  SwapTransactionDeps &
  TransferDeps &
  TokenResolverDeps;

/** The subgraph of quotes, their transactions and their actions, and of tokens with their prices. */
export function createSwapsSubgraph(deps: SwapsDeps): Subgraph {
  const actions = actionParts({ ...deps, sources: deliverySources(deps.providers) });
  const tokens = tokenParts(deps);
  return buildSubgraph({
    ...actions,
    name: 'swaps',
    references: { ...actions.references, ...tokens.references },
    resolvers: [
      new SwapQuoteResolver(deps),
      new SwapTransactionResolver(deps),
      new TransferResolver(deps),
      quoteSubscriptions(deps),
      ...tokens.resolvers,
      ...actions.resolvers,
    ],
  });
}
