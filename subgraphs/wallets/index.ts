import type { RequestContext } from '../../src/auth/request-context';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { createWalletLoader } from './loaders';
import { WalletResolver, type WalletsDeps } from './resolver';

/** Wallets and what they hold. */
export function createWalletsSubgraph(deps: WalletsDeps): Subgraph {
  const createLoader = (context: RequestContext) => createWalletLoader(deps, context);
  return buildSubgraph({
    name: 'wallets',
    resolvers: [new WalletResolver(deps)],
    references: { Wallet: ({ address }, context) => context.loader(createLoader).load(String(address)) },
  });
}
