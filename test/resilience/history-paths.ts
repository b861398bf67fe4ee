import { connectActionsOfWallets } from '../../src/actions/action-connection';
import { repairParties } from '../../src/actions/history/repair-parties';
import { type ActionFilter, listActions } from '../../src/actions/list-actions';
import { ACTION_SORT_FIELDS } from '../../src/actions/wallet-history';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import type { Database } from '../../src/persistence/database';
import { createActionTokens } from '../../src/portfolio/balances/action-tokens';
import { findPinnedTokens } from '../../src/portfolio/balances/pinned-tokens';
import { someChain } from '../actions/sample-transfer';
import { BUSY_WALLET, CHAIN_IN, CHAIN_OUT, CUSTOMER, QUIET_WALLET } from './grown-database';

const customerId = CUSTOMER as CustomerId;
const chains = createChainTable([someChain(CHAIN_IN), someChain(CHAIN_OUT)]);

export const listHistory = (database: Database, walletAddress: string, filter: ActionFilter = {}) =>
  listActions({ database, chains, blockedAddresses: new Set() }, { customerId, walletAddress, ...filter });

/** What reads the histories of wallets and their pinned tokens, by name. */
export const historyPaths = (database: () => Database): Readonly<Record<string, () => Promise<unknown>>> => ({
  'the tokens of the actions of wallets': () => {
    const wallets = [QUIET_WALLET, BUSY_WALLET];
    return createActionTokens({ database: database() }).tokensOf({ customerId, wallets, limit: 100 });
  },
  'the pinned tokens of wallets': () =>
    findPinnedTokens({ database: database() }, { customerId, wallets: [QUIET_WALLET, BUSY_WALLET] }),
  'a page of the actions of a wallet': () => listHistory(database(), QUIET_WALLET),
  'the first page of a wallet with very many actions': () => listHistory(database(), BUSY_WALLET, { limit: 20 }),
  'a page of the open actions of a wallet': () => listHistory(database(), BUSY_WALLET, { status: 'INITIAL' }),
  'a page in every sort, of all actions and of one type': async () => {
    for (const sortBy of ACTION_SORT_FIELDS) {
      for (const sortOrder of ['asc', 'desc'] as const) {
        for (const type of [undefined, 'CROSSCHAIN_SWAP'] as const)
          await listHistory(database(), BUSY_WALLET, { sortBy, sortOrder, type, status: type && 'FAILED' });
      }
    }
  },
  'the last page of a wallet with very many actions': async () => {
    for (const sortBy of ACTION_SORT_FIELDS) {
      const { pagination } = await listHistory(database(), BUSY_WALLET, { sortBy });
      expect(pagination.totalPages).toBeGreaterThan(100);
      const last = await listHistory(database(), BUSY_WALLET, { sortBy, page: pagination.totalPages });
      expect(last.data.length).toBeGreaterThan(0);
    }
  },
  'the actions of wallets behind a cursor': async () => {
    for (const sortBy of ACTION_SORT_FIELDS) {
      const walletAddresses = [BUSY_WALLET, QUIET_WALLET];
      const connect = (after?: string | null) =>
        connectActionsOfWallets(
          { database: database(), chains },
          { customerId, walletAddresses, filter: { sortBy, after } },
        );
      const [busy] = await connect();
      await connect(busy!.pageInfo.endCursor);
    }
  },
  'the comparison of the parties with the actions': () => repairParties(database(), new AbortController().signal),
});
