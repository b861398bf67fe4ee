import type { Logger } from 'pino';
import type { RequestContext } from '../../src/auth/request-context';
import type { ReadSmartAccountDeps } from '../../src/actions/deployments/read-smart-account';
import { createWalletFeed } from '../../src/portfolio/wallet-feed';
import type { CreateSmartAccountDeps } from '../../src/smart-accounts/create-smart-account';
import { TokenBalanceResolver, type TokenBalancesDeps } from './balances/resolver';
import { TokenSliceResolver } from './balances/token-slice-resolver';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { createWalletLoader } from './loaders';
import { type MovementsDeps, MovementsResolver } from './movements-resolver';
import { WalletResolver, type WalletsDeps } from './resolver';
import { SmartAccountResolver } from './smart-account-resolver';
import { type WalletSubscriptionDeps, walletSubscriptions } from './subscription-resolver';
import { WalletValuesResolver } from './values/resolver';
import { PositionsResolver, WalletTokensResolver, type WalletTokensResolverDeps } from './tokens/resolver';

type WalletsSubgraphDeps = WalletsDeps &
  TokenBalancesDeps &
  WalletTokensResolverDeps &
  CreateSmartAccountDeps &
  ReadSmartAccountDeps &
  MovementsDeps &
  Omit<WalletSubscriptionDeps, 'feed'> & { readonly log: Pick<Logger, 'warn' | 'error'> };

/** The subgraph of wallets, their balances and their movements. */
export function createWalletsSubgraph(deps: WalletsSubgraphDeps): Subgraph {
  const createLoader = (context: RequestContext) => createWalletLoader(deps, context);
  return buildSubgraph({
    name: 'wallets',
    resolvers: [
      new WalletResolver(deps),
      new TokenBalanceResolver(deps),
      new TokenSliceResolver(),
      new WalletTokensResolver(deps),
      new PositionsResolver(),
      new SmartAccountResolver(deps),
      new MovementsResolver(deps),
      new WalletValuesResolver(deps),
      walletSubscriptions({ ...deps, feed: createWalletFeed(deps) }),
    ],
    references: { Wallet: ({ address }, context) => context.loader(createLoader).load(String(address)) },
  });
}
