import { createActionFeed } from '../../../src/actions/action-feed';
import type { SubgraphParts } from '../../schema/build-subgraph';
import { ActionResolver, type ActionResolverDeps } from './resolver';
import { actionSubscriptions } from './subscription-resolver';
import { Wallet } from './wallet';
import { WalletActionsResolver } from './wallet-resolver';

/**
 * What the subgraph `swaps` serves of actions: root fields, and the actions of a wallet. A wallet is known by its
 * address alone here; the customer sees those of its actions that are the customer's.
 */
export const actionParts = (
  deps: ActionResolverDeps,
): Pick<Required<SubgraphParts>, 'resolvers' | 'orphanedTypes' | 'references'> => ({
  resolvers: [
    ...[new ActionResolver(deps), new WalletActionsResolver(deps)],
    actionSubscriptions({ ...deps, feed: createActionFeed(deps) }),
  ],
  orphanedTypes: [Wallet],
  references: { Wallet: ({ address }) => ({ address }) },
});
