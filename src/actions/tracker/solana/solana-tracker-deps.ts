import type { Logger } from 'pino';
import type { ChainTable } from '../../../chains/chain-table';
import type { Database } from '../../../persistence/database';
import type { SolanaRpc } from '../../../rpc/solana/solana-rpc';
import type { SearchSchedule } from './search-schedule';

/** Dependencies of a pass of a Solana tracker. */
export interface SolanaTrackerDeps {
  readonly database: Database;
  readonly solana: SolanaRpc;
  readonly chains: ChainTable;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica, as the holder of a chain's lease. */
  readonly replicaId: string;
  /** Duration of a lease; 30 by default. */
  readonly leaseSeconds?: number;
  /** Shared by the passes of this process. */
  readonly schedule: SearchSchedule;
}
