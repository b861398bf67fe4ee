import DataLoader from 'dataloader';
import type { RequestContext } from '../../src/auth/request-context';
import { type BalanceDeps, nativeBalances, type NativeBalance } from '../../src/portfolio/native-balances';
import { findWallets, type WalletDeps, type WalletRecord } from '../../src/portfolio/wallets';
import { requireCustomer } from '../schema/authorization';

export type BalanceLoader = DataLoader<string, readonly NativeBalance[]>;
export type WalletLoader = DataLoader<string, WalletRecord | undefined>;

/** Native coin of the wallets of one request: one call per chain for all of them. */
export const createBalanceLoader = (deps: BalanceDeps, { signal }: RequestContext): BalanceLoader =>
  new DataLoader((addresses) => nativeBalances(deps, addresses, signal));

/** The customer's wallets, by address; one query for all that a request asks for. */
export const createWalletLoader = (deps: WalletDeps, context: RequestContext): WalletLoader =>
  new DataLoader((addresses) => findWallets(deps, { customerId: requireCustomer(context), addresses }));
