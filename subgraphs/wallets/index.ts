import type { RequestContext } from '../../src/auth/request-context';
import type { CreateSmartAccountDeps } from '../../src/smart-accounts/create-smart-account';
import { TokenBalanceResolver, type TokenBalancesDeps } from './balances/resolver';
import { TokenSliceResolver } from './balances/token-slice-resolver';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { createWalletLoader } from './loaders';
import { WalletResolver, type WalletsDeps } from './resolver';
import { SmartAccountResolver } from './smart-account-resolver';

/** The subgraph of wallets and their balances. */
export function createWalletsSubgraph(deps: WalletsDeps & TokenBalancesDeps & CreateSmartAccountDeps): Subgraph {
  const createLoader = (context: RequestContext) => createWalletLoader(deps, context);
  return buildSubgraph({
    name: 'wallets',
    resolvers: [
      new WalletResolver(deps),
      new TokenBalanceResolver(deps),
      new TokenSliceResolver(),
      new SmartAccountResolver(deps),
    ],
    references: { Wallet: ({ address }, context) => context.loader(createLoader).load(String(address)) },
  });
}
