import type { RequestContext } from '../../src/auth/request-context';
import type { CreateSmartAccountDeps } from '../../src/smart-accounts/create-smart-account';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { createWalletLoader } from './loaders';
import { type MovementsDeps, MovementsResolver } from './movements-resolver';
import { WalletResolver, type WalletsDeps } from './resolver';
import { SmartAccountResolver } from './smart-account-resolver';

/** The subgraph of wallets and their balances. */
export function createWalletsSubgraph(deps: WalletsDeps & CreateSmartAccountDeps & MovementsDeps): Subgraph {
  const createLoader = (context: RequestContext) => createWalletLoader(deps, context);
  return buildSubgraph({
    name: 'wallets',
    resolvers: [new WalletResolver(deps), new SmartAccountResolver(deps), new MovementsResolver(deps)],
    references: { Wallet: ({ address }, context) => context.loader(createLoader).load(String(address)) },
  });
}
