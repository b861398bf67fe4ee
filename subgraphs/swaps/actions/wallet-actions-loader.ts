import DataLoader from 'dataloader';
import {
  type ActionConnection,
  connectActionsOfWallets,
  type ConnectionFilter,
} from '../../../src/actions/action-connection';
import {
  type ActionDeps,
  type ActionFilter,
  type ActionList,
  HISTORY_LIMITS,
  listActionsOfWallets,
} from '../../../src/actions/list-actions';
import type { CustomerId } from '../../../src/auth/principal';

export type WalletFilter = Pick<ActionFilter, 'page' | 'limit' | 'status'>;

/** Loads actions of wallets for one request: one query for all wallets that need the same page or slice. */
export interface WalletActionsLoader {
  load(address: string, filter: WalletFilter): Promise<ActionList>;
  /** Pages of up to 500 actions. */
  loadHistory(address: string, filter: ActionFilter): Promise<ActionList>;
  loadConnection(address: string, filter: ConnectionFilter): Promise<ActionConnection>;
}

export function createWalletActionsLoader(deps: ActionDeps, customerId: CustomerId): WalletActionsLoader {
  const lists = loadersByFilter((walletAddresses, filter: WalletFilter) =>
    listActionsOfWallets(deps, { customerId, walletAddresses, filter }),
  );
  const histories = loadersByFilter((walletAddresses, filter: ActionFilter) =>
    listActionsOfWallets(deps, { customerId, walletAddresses, filter, limits: HISTORY_LIMITS }),
  );
  const connections = loadersByFilter((walletAddresses, filter: ConnectionFilter) =>
    connectActionsOfWallets(deps, { customerId, walletAddresses, filter }),
  );
  return {
    load: (address, { page, limit, status }) => lists({ page, limit, status }).load(address),
    loadHistory: (address, { page, limit, status, type, sortBy, sortOrder }) =>
      histories({ page, limit, status, type, sortBy, sortOrder }).load(address),
    loadConnection: (address, { first, after, status, type, sortBy, sortOrder }) =>
      connections({ first, after, status, type, sortBy, sortOrder }).load(address),
  };
}

/** One loader for each filter. A filter is found by its JSON text: its fields are always in the same order. */
function loadersByFilter<Filter, Result>(
  read: (addresses: readonly string[], filter: Filter) => Promise<readonly Result[]>,
): (filter: Filter) => DataLoader<string, Result> {
  const loaders = new Map<string, DataLoader<string, Result>>();
  return (filter) => {
    const key = JSON.stringify(filter);
    const loader = loaders.get(key) ?? new DataLoader((addresses) => read(addresses, filter));
    loaders.set(key, loader);
    return loader;
  };
}
