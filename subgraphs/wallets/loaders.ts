import DataLoader from 'dataloader';
import type { RequestContext } from '../../src/auth/request-context';
import { type BalanceDeps, nativeBalances, type NativeBalance } from '../../src/portfolio/native-balances';
import { findWallets, type WalletDeps, type WalletRecord } from '../../src/portfolio/wallets';
import { requireCustomer } from '../schema/authorization';

export type BalanceLoader = DataLoader<string, readonly NativeBalance[]>;
export type WalletLoader = DataLoader<string, WalletRecord | undefined>;

/** Loads the native balances of wallets for one request, with one call for each chain. */
export const createBalanceLoader = (deps: BalanceDeps, { signal }: RequestContext): BalanceLoader =>
  new DataLoader((addresses) => nativeBalances(deps, addresses, signal));

/** Loads the customer's wallets by address, with one query for each request. */
export const createWalletLoader = (deps: WalletDeps, context: RequestContext): WalletLoader =>
  new DataLoader((addresses) => findWallets(deps, { customerId: requireCustomer(context), addresses }));
