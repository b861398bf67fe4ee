import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ChainTable } from '../chains/chain-table';
import type { Database } from '../persistence/database';
import { type ActionView, actionView } from './action-view';
import { pageBounds, type PageLimits, type PageRequest, type Pagination, paginationOf } from './pagination';
import { readPages } from './read-history';
import type { HistoryFilter, HistoryQuery } from './wallet-history';

export interface ActionDeps {
  readonly database: Database;
  readonly chains: ChainTable;
}

/** A page of the actions that `HistoryFilter` selects. */
export interface ActionFilter extends PageRequest, HistoryFilter {}

export interface ActionList {
  readonly data: readonly ActionView[];
  readonly pagination: Pagination;
}

const LIMITS: PageLimits = { defaultLimit: 20, maximum: 100 };

/** Page sizes of the history of a wallet. */
export const HISTORY_LIMITS: PageLimits = { defaultLimit: 50, maximum: 500 };

/**
 * A page of the actions that a wallet sent or receives.
 *
 * @throws FORBIDDEN for a blocked wallet; VALIDATION_ERROR when `page` or `limit` (1 to 100, default 20) is out of range.
 */
export async function listActions(
  deps: ActionDeps & { readonly blockedAddresses: ReadonlySet<string> },
  query: ActionFilter & { readonly customerId: CustomerId; readonly walletAddress: string },
): Promise<ActionList> {
  const { customerId, walletAddress } = query;
  assertNotBlocked(deps.blockedAddresses, [walletAddress]);
  const lists = await listActionsOfWallets(deps, { customerId, walletAddresses: [walletAddress], filter: query });
  return lists[0] ?? { data: [], pagination: paginationOf(pageBounds(query, LIMITS), 0) };
}

/** The same page of several wallets, in their order, with one query for all pages and counts. */
export async function listActionsOfWallets(
  { database, chains }: ActionDeps,
  query: HistoryQuery & { readonly filter: ActionFilter; readonly limits?: PageLimits },
): Promise<readonly ActionList[]> {
  const bounds = pageBounds(query.filter, query.limits ?? LIMITS);
  const { page, limit } = bounds;
  const offset = BigInt(page - 1) * BigInt(limit);
  const histories = await readPages(database, query, { limit, offset });
  return histories.map(({ rows, total }) => ({
    data: rows.map((row) => actionView(chains, row)),
    pagination: paginationOf(bounds, total),
  }));
}
