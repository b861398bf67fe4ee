import type { EarnDeps } from '../../../src/strategies/positions/wallet-earn';
import type { SubgraphParts } from '../../schema/build-subgraph';
import { EarnPositionResolver, WalletEarnResolver } from './earn-resolver';
import { DetailPositionResolver, StrategyPositionResolver } from './resolver';
import { Wallet } from './earn-types';

/** The positions of wallets: of a strategy, and of a wallet in all strategies. A wallet has only its address here. */
export const positionParts = (
  deps: EarnDeps,
): Pick<Required<SubgraphParts>, 'resolvers' | 'orphanedTypes' | 'references'> => ({
  resolvers: [
    new StrategyPositionResolver(deps),
    new DetailPositionResolver(deps),
    new WalletEarnResolver(deps),
    new EarnPositionResolver(deps),
  ],
  orphanedTypes: [Wallet],
  references: { Wallet: ({ address }) => ({ address }) },
});
