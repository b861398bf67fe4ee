import DataLoader from 'dataloader';
import type { RequestContext } from '../../../src/auth/request-context';
import type { TokenBalanceDeps } from '../../../src/portfolio/balances/balance-deps';
import { findPinnedTokens, type PinnedToken } from '../../../src/portfolio/balances/pinned-tokens';
import { type BalanceRequest, type ChainBalances, readBalances } from '../../../src/portfolio/balances/read-balances';
import { requireCustomer } from '../../schema/authorization';

export type TokenBalanceLoader = DataLoader<BalanceRequest, readonly ChainBalances[], string>;
export type PinnedTokenLoader = DataLoader<string, readonly PinnedToken[]>;

/** Wallets whose balances are read together. */
const MAX_WALLETS = 100;

/** Loads the balances of wallets for one request: the wallets of a page share the calls to each chain. */
export const createTokenBalanceLoader = (deps: TokenBalanceDeps, context: RequestContext): TokenBalanceLoader =>
  new DataLoader(
    (requests) => readBalances(deps, { customerId: requireCustomer(context), requests, signal: context.signal }),
    { cacheKeyFn: keyOf, maxBatchSize: MAX_WALLETS },
  );

const keyOf = ({ address, chains, includeZero }: BalanceRequest): string =>
  [address, String(includeZero), ...chains.map(({ chainId }) => String(chainId))].join(' ');

/** Loads the tokens that the customer has pinned to wallets, with one query for each request. */
export const createPinnedTokenLoader = (
  deps: Pick<TokenBalanceDeps, 'database'>,
  context: RequestContext,
): PinnedTokenLoader =>
  new DataLoader((wallets) => findPinnedTokens(deps, { customerId: requireCustomer(context), wallets }), {
    maxBatchSize: MAX_WALLETS,
  });
