import { findToken } from '../../../src/portfolio/tokens';
import type { SubgraphParts } from '../../schema/build-subgraph';
import { TokenResolver, type TokenResolverDeps } from './resolver';

/** The tokens of the subgraph `swaps`, with their prices. */
export const tokenParts = (deps: TokenResolverDeps): Pick<Required<SubgraphParts>, 'resolvers' | 'references'> => ({
  resolvers: [new TokenResolver(deps)],
  references: {
    Token: ({ chainId, address }) => findToken(deps, { chain: String(chainId), address: String(address) }),
  },
});
