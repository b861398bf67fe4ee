import DataLoader from 'dataloader';
import { createActionFeed } from '../../../src/actions/action-feed';
import type { ActionView } from '../../../src/actions/action-view';
import { findActions } from '../../../src/actions/get-action';
import type { WatchDeps } from '../../../src/actions/watch-action';
import type { RequestContext } from '../../../src/auth/request-context';
import { requireCustomer } from '../../schema/authorization';
import type { SubgraphParts } from '../../schema/build-subgraph';
import { ActionResolver, type ActionResolverDeps } from './resolver';
import { actionSubscriptions } from './subscription-resolver';
import { Wallet } from './wallet';
import { WalletActionsResolver } from './wallet-resolver';

/**
 * The actions of the subgraph `swaps`: root fields, and the actions of a wallet. A wallet has only its address here,
 * and a customer sees only its own actions.
 */
export const actionParts = (
  deps: ActionResolverDeps & Pick<WatchDeps, 'findLimit'>,
): Pick<Required<SubgraphParts>, 'resolvers' | 'orphanedTypes' | 'references'> => {
  const createLoader = (context: RequestContext): DataLoader<string, ActionView | undefined> =>
    new DataLoader((actionIds) => findActions(deps, { customerId: requireCustomer(context), actionIds }));
  return {
    resolvers: [
      new ActionResolver(deps),
      new WalletActionsResolver(deps),
      actionSubscriptions({ ...deps, feed: createActionFeed(deps) }),
    ],
    orphanedTypes: [Wallet],
    references: {
      Wallet: ({ address }) => ({ address }),
      Action: ({ id }, context) => context.loader(createLoader).load(String(id)),
    },
  };
};
