import type { Logger } from 'pino';
import type { ChainTable } from '../../../chains/chain-table';
import type { Database } from '../../../persistence/database';
import type { SolanaRpc } from '../../../rpc/solana/solana-rpc';
import type { LookBook } from './search-schedule';

/** What one pass of a Solana tracker uses. */
export interface SolanaTrackerDeps {
  readonly database: Database;
  readonly solana: SolanaRpc;
  readonly chains: ChainTable;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica: who holds the lease of a chain. */
  readonly replicaId: string;
  /** What the passes of this process remember from one to the next. */
  readonly looks: LookBook;
}
