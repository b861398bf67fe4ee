import type { RequestContext } from '../../src/auth/request-context';
import type { CustomerFees } from '../../src/strategies/fees/customer-fees';
import type { SetCollectionDeps } from '../../src/strategies/collection/set-recurring-collection';
import type { WatchRatesDeps } from '../../src/strategies/views/watch-rates';
import { findStrategy } from '../../src/strategies/views/list-strategies';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import type { EarnSnapshotDeps } from '../../src/strategies/positions/earn-snapshots';
import { type StrategyOperationDeps, StrategyOperationResolver } from './operations/resolver';
import { CollectionResolver, RecurringCollectionResolver } from './fees/collection-resolver';
import { StrategyFeeResolver } from './fees/resolver';
import { positionParts } from './positions';
import { rateSubscriptions } from './rates/subscription-resolver';
import { MarketDataResolver, type StrategyDeps, StrategyDetailResolver, StrategyResolver } from './resolver';

/** Dependencies of the subgraph. */
export type StrategiesSubgraphDeps = Omit<StrategyDeps, 'feesOf'> &
  EarnSnapshotDeps &
  SetCollectionDeps &
  WatchRatesDeps & { readonly operations: StrategyOperationDeps };

/** The subgraph of yield strategies. */
export function createStrategiesSubgraph(deps: StrategiesSubgraphDeps): Subgraph {
  const positions = positionParts(deps);
  const listing = { ...deps, feesOf: requestFees(deps) };
  return buildSubgraph({
    name: 'strategies',
    resolvers: [
      new StrategyResolver(listing),
      new StrategyDetailResolver(listing),
      new MarketDataResolver(deps),
      new StrategyFeeResolver(deps),
      new CollectionResolver(deps),
      new RecurringCollectionResolver(deps),
      new StrategyOperationResolver(deps.operations),
      rateSubscriptions(deps),
      ...positions.resolvers,
    ],
    orphanedTypes: positions.orphanedTypes,
    references: {
      Strategy: async ({ id }, context) => findStrategy({ ...deps, fees: await listing.feesOf(context) }, String(id)),
      ...positions.references,
    },
  });
}

/** The fees of the customer of a request, read once. */
export function requestFees({ readFees }: Pick<StrategiesSubgraphDeps, 'readFees'>) {
  const read = ({ principal }: RequestContext): Promise<CustomerFees> => readFees(principal?.customerId);
  return (context: RequestContext): Promise<CustomerFees> => context.loader(read);
}
