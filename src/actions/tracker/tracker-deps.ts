import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { HeadReader } from '../../rpc/head-reader';
import type { Rpc } from '../../rpc/rpc';

/** Dependencies of a pass of a tracker. */
export interface TrackerDeps {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly chains: ChainTable;
  /** Heads of chains, read once for all that follow them; each pass reads its own without it. */
  readonly heads?: Pick<HeadReader, 'read'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica, as the holder of a chain's lease. */
  readonly replicaId: string;
  /** Duration of a lease; 30 by default. */
  readonly leaseSeconds?: number;
}
