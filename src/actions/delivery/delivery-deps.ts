import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { PartsPerMillion } from '../../money/slippage';
import type { MicroUsd } from '../../money/usd';
import type { Database } from '../../persistence/database';
import type { PriceSource } from '../../prices/price-source';
import type { Rpc } from '../../rpc/rpc';
import type { ServiceWallet } from '../../rpc/service-wallet';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { TokenRegistry } from '../../tokens/token-registry';
import type { DeliverySource } from '../../venues/delivery-source';

/** Dependencies of the deliveries. */
export interface DeliveryDeps {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly solana: Pick<SolanaRpc, 'serves' | 'transactions'>;
  readonly chains: ChainTable;
  /** Metadata of refunded tokens. */
  readonly tokens: Pick<TokenRegistry, 'find'>;
  readonly prices: Pick<PriceSource, 'priceUsd'>;
  /** Sources by provider id. */
  readonly sources: ReadonlyMap<string, DeliverySource>;
  /** Sends the completing calls; without it they are shown to the customer. */
  readonly serviceWallet: ServiceWallet | undefined;
  /** The receiver completes transfers below this amount. */
  readonly minCompletionUsd: MicroUsd;
  /** Share of the amount; the receiver completes transfers whose gas costs more. */
  readonly maxCompletionCostShare: PartsPerMillion;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Interval of the first polls, in milliseconds; later polls are further apart. */
  readonly pollMs: number;
}
