import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { Rpc } from '../../rpc/rpc';

/** What one pass of a tracker uses. */
export interface TrackerDeps {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly chains: ChainTable;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica: who holds the lease of a chain. */
  readonly replicaId: string;
}
