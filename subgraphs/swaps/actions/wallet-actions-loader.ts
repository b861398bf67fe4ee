import DataLoader from 'dataloader';
import {
  type ActionDeps,
  type ActionFilter,
  type ActionList,
  listActionsOfWallets,
} from '../../../src/actions/list-actions';
import type { CustomerId } from '../../../src/auth/principal';

export type WalletFilter = Pick<ActionFilter, 'page' | 'limit' | 'status'>;

/** Loads pages of actions of wallets for one request: one query for all wallets that need the same page. */
export interface WalletActionsLoader {
  load(address: string, filter: WalletFilter): Promise<ActionList>;
}

export function createWalletActionsLoader(deps: ActionDeps, customerId: CustomerId): WalletActionsLoader {
  const loaders = new Map<string, DataLoader<string, ActionList>>();
  const loaderOf = (filter: WalletFilter): DataLoader<string, ActionList> =>
    new DataLoader((walletAddresses) => listActionsOfWallets(deps, { customerId, walletAddresses, filter }));
  return {
    load(address, { page, limit, status }) {
      const key = JSON.stringify([page ?? null, limit ?? null, status ?? null]);
      const loader = loaders.get(key) ?? loaderOf({ page, limit, status });
      loaders.set(key, loader);
      return loader.load(address);
    },
  };
}
