import type { Logger } from 'pino';
import type { SharedCapacity } from '../../async/shared-capacity';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { Rpc } from '../../rpc/rpc';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { TokenInspector } from '../../tokens/token-registry';
import type { ProviderGuards } from '../../venues/provider-guards';
import type { BrokenTokens } from './broken-tokens';
import type { LastHoldings } from './last-holdings';
import type { TokenSource } from './token-source';

/** What the balances of wallets are read with. */
export interface TokenBalanceDeps {
  readonly database: Database;
  readonly chains: ChainTable;
  readonly rpc: Pick<Rpc, 'serves' | 'request'>;
  /** Without it Solana wallets have no balances. */
  readonly solana?: Pick<SolanaRpc, 'serves' | 'walletLamports' | 'ownedTokensOfEach'> | undefined;
  readonly tokens: TokenInspector;
  /** Tokens that the service has seen the wallets receive or send. */
  readonly seenTokens: TokenSource;
  readonly brokenTokens: BrokenTokens;
  readonly lastHoldings: LastHoldings;
  /** Breakers and bulkheads of the chains, for these reads alone. */
  readonly guards: ProviderGuards;
  /** Bounds the calls for the tokens of each customer. */
  readonly optionalCalls: SharedCapacity;
  /** Slugs of the chains that did not respond in time when this process last called them. */
  readonly lateChains: Set<string>;
  readonly log: Pick<Logger, 'error'>;
  /** Time limit of one chain; 1.5 seconds by default. */
  readonly chainTimeoutMs?: number;
  /** Time limit of loading the quarantined tokens; 250 milliseconds by default. */
  readonly quarantineTimeoutMs?: number;
  /** Time limit of reading the metadata of a chain's unlisted tokens; 750 milliseconds by default. */
  readonly metadataTimeoutMs?: number;
}
