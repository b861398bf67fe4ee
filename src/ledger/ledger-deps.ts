import type { Logger } from 'pino';
import type { ChainTable } from '../chains/chain-table';
import type { Database } from '../persistence/database';
import type { HeadReader } from '../rpc/head-reader';
import type { Rpc } from '../rpc/rpc';

/** Dependencies of a pass of the ledger. */
export interface LedgerDeps {
  readonly database: Database;
  readonly rpc: Pick<Rpc, 'client' | 'serves'>;
  readonly chains: ChainTable;
  /** Shared with the trackers: a chain has one reader of its head. */
  readonly heads: Pick<HeadReader, 'read'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica. Trackers and ledger of a chain run on the replica that holds its lease. */
  readonly replicaId: string;
  /** Duration of a lease; 30 by default. */
  readonly leaseSeconds?: number;
  readonly watch: WatchSettings;
  /** Blocks before a wallet was watched whose token movements are added; 0 for none. */
  readonly backfillBlocks: number;
}

export interface WatchSettings {
  /** Wallets that a customer may watch, unless it has a limit of its own. */
  readonly maxWatchedWallets: number;
}

/** Stream of the ledger in the tables of the index. */
export const TRANSFERS = 'transfers';
