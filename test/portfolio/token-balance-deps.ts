import type { FindCustomerLimit } from '../../src/auth/customer-limits';
import type { ChainTable } from '../../src/chains/chain-table';
import { createActionTokens } from '../../src/portfolio/balances/action-tokens';
import { createBrokenTokens } from '../../src/portfolio/balances/broken-tokens';
import { createOptionalCallCapacity } from '../../src/portfolio/balances/chain-calls';
import { createLastHoldings } from '../../src/portfolio/balances/last-holdings';
import { createTokenMetadataStore } from '../../src/persistence/token-metadata-store';
import type { WalletTokensDeps } from '../../src/portfolio/overview/read-wallet-tokens';
import type { TokenPriceReader } from '../../src/prices/token-price';
import type { Rpc } from '../../src/rpc/rpc';
import { createTokenMetadataReader } from '../../src/rpc/token-metadata-reader';
import { createTokenRegistry } from '../../src/tokens/token-registry';
import { createProviderGuards } from '../../src/venues/provider-guards';
import type { TestDatabase } from '../setup/test-database';

const log = { warn: () => undefined, error: () => undefined };

const NO_PRICES: TokenPriceReader = {
  read: (tokens) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' }))),
};

interface WalletsWorld {
  readonly maxRegisteredWallets: number;
  readonly findLimit: FindCustomerLimit;
  readonly log: typeof log;
}

interface BalanceWorld {
  readonly chains: ChainTable;
  readonly rpc: Rpc;
  /** Default: no token has a price. */
  readonly tokenPrices?: TokenPriceReader;
}

/**
 * What the service reads balances and values with, for EVM chains. Neither the list of broken tokens nor the tokens of a wallet are
 * reused, and no time limit or cooldown ends during a test.
 */
export const tokenBalanceDeps = (
  { database, pool }: TestDatabase,
  { chains, rpc, tokenPrices = NO_PRICES }: BalanceWorld,
): WalletTokensDeps & WalletsWorld => ({
  tokenPrices,
  receiptTokens: () => new Set(),
  findLimit: () => Promise.resolve(1000),
  pool,
  snapshotTimes: { freshMs: 0, servedMs: 0, waitMs: 60_000 },
  maxRegisteredWallets: 1000,
  database,
  chains,
  rpc,
  log,
  tokens: createTokenRegistry({
    metadata: createTokenMetadataReader({ rpc }),
    store: createTokenMetadataStore(database),
    log,
  }),
  seenTokens: createActionTokens({ database }),
  brokenTokens: createBrokenTokens({ pool, log, cacheMs: 0 }),
  lastHoldings: createLastHoldings(),
  optionalCalls: createOptionalCallCapacity(),
  lateChains: new Set(),
  guards: createProviderGuards({ cooldownMs: 3_600_000 }),
  chainTimeoutMs: 60_000,
  metadataTimeoutMs: 60_000,
  quarantineTimeoutMs: 60_000,
});
