import { findStrategy } from '../../src/strategies/views/list-strategies';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import type { EarnDeps } from '../../src/strategies/positions/wallet-earn';
import { type StrategyOperationDeps, StrategyOperationResolver } from './operations/resolver';
import { positionParts } from './positions';
import { MarketDataResolver, type StrategyDeps, StrategyDetailResolver, StrategyResolver } from './resolver';

/** Dependencies of the subgraph. */
export type StrategiesSubgraphDeps = StrategyDeps & EarnDeps & { readonly operations: StrategyOperationDeps };

/** The subgraph of yield strategies. */
export function createStrategiesSubgraph(deps: StrategiesSubgraphDeps): Subgraph {
  const positions = positionParts(deps);
  return buildSubgraph({
    name: 'strategies',
    resolvers: [
      new StrategyResolver(deps),
      new StrategyDetailResolver(deps),
      new MarketDataResolver(deps),
      new StrategyOperationResolver(deps.operations),
      ...positions.resolvers,
    ],
    orphanedTypes: positions.orphanedTypes,
    references: { Strategy: ({ id }) => findStrategy(deps, String(id)), ...positions.references },
  });
}
