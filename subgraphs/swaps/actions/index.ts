import type { ReportDeps } from '../../../src/actions/report-transaction';
import type { SubgraphParts } from '../../schema/build-subgraph';
import { ActionResolver } from './resolver';
import { Wallet } from './wallet';
import { WalletActionsResolver } from './wallet-resolver';

/**
 * What the subgraph `swaps` serves of actions: root fields, and the actions of a wallet. A wallet is known by its
 * address alone here; the customer sees those of its actions that are the customer's.
 */
export const actionParts = (
  deps: ReportDeps,
): Pick<Required<SubgraphParts>, 'resolvers' | 'orphanedTypes' | 'references'> => ({
  resolvers: [new ActionResolver(deps), new WalletActionsResolver(deps)],
  orphanedTypes: [Wallet],
  references: { Wallet: ({ address }) => ({ address }) },
});
