import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { TokenPriceReader } from '../../prices/token-price';
import type { Rpc } from '../../rpc/rpc';
import type { ProtocolReader } from '../protocols/protocol';
import type { ProtocolName } from '../strategy-row';
import type { Strategies } from '../catalog/strategies';
import type { RangeSizes } from './range-sizes';
import type { StartBlocks } from './start-blocks';

/** What the positions of wallets are read with. */
export interface PositionDeps {
  readonly database: Database;
  readonly pool: Pick<Pool, 'query'>;
  readonly chains: ChainTable;
  readonly rpc: Pick<Rpc, 'serves' | 'request'>;
  readonly strategies: Pick<Strategies, 'get' | 'all' | 'chains'>;
  readonly protocols: Readonly<Partial<Record<ProtocolName, ProtocolReader>>>;
  readonly prices: TokenPriceReader;
  readonly rangeSizes: RangeSizes;
  readonly startBlocks: StartBlocks;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Positions whose history is stored for one customer; 20,000 by default. The longest unused ones give way. */
  readonly maxStoredPositions?: number;
  /** Entries of a position after which its history is not read on; 20,000 by default. */
  readonly maxEntries?: number;
  /** Time for reading the holdings on one chain, in milliseconds; 2,000 by default. */
  readonly holdingsTimeoutMs?: number;
  /** Time for reading histories in one request, in milliseconds; 1,500 by default. */
  readonly walkTimeoutMs?: number;
}
