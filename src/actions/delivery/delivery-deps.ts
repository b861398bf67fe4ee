import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { PriceSource } from '../../prices/price-source';
import type { DeliverySource } from '../../venues/delivery-source';
import type { Rpc } from '../../rpc/rpc';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { ServiceWallet } from '../../rpc/service-wallet';
import type { TokenRegistry } from '../../tokens/token-registry';

/** What following deliveries uses. */
export interface DeliveryDeps {
  readonly database: Database;
  readonly rpc: Rpc;
  /** Where the deployment has Solana chains. */
  readonly solana: Pick<SolanaRpc, 'serves' | 'transactions'>;
  readonly chains: ChainTable;
  /** What is told of tokens that come back. */
  readonly tokens: Pick<TokenRegistry, 'find'>;
  readonly prices: Pick<PriceSource, 'priceUsd'>;
  /** Who is asked, by the id of the provider. */
  readonly sources: ReadonlyMap<string, DeliverySource>;
  /** Sends the completing calls; without it they are handed to the customer. */
  readonly serviceWallet: ServiceWallet | undefined;
  /** Transfers that are worth less, in dollars, are left to their receivers to complete. */
  readonly leastCompletionUsd: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Time between the first looks at a delivery; later ones are further apart. */
  readonly pollMs: number;
}
