import { findStrategy } from '../../src/strategies/views/list-strategies';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { MarketDataResolver, type StrategyDeps, StrategyDetailResolver, StrategyResolver } from './resolver';

/** Dependencies of the subgraph. */
export type StrategiesSubgraphDeps = StrategyDeps;

/** The subgraph of yield strategies. */
export function createStrategiesSubgraph(deps: StrategiesSubgraphDeps): Subgraph {
  return buildSubgraph({
    name: 'strategies',
    resolvers: [new StrategyResolver(deps), new StrategyDetailResolver(deps), new MarketDataResolver(deps)],
    references: { Strategy: ({ id }) => findStrategy(deps, String(id)) },
  });
}
