import { createActionStarter } from '../actions/start-action';
import { deploymentLimits } from '../auth/customer-limits';
import { indexedChains } from '../config/indexed-chains';
import { createStreamSlots } from '../quotes/stream-quotes';
import { createContractKindFinder } from '../rpc/contract-kind';
import { countCallerRequest } from '../auth/rate-limit/rate-limit-subject';
import type { Chain } from '../chains/chain';
import { customerProfile } from '../customers/customer-profile';
import { createHoldingsReader } from '../customers/holdings/read-holdings';
import { mayBeSponsored } from '../customers/customers';
import { createWebhookSealer } from '../persistence/derived-sealer';
import { readOnlyPoller } from '../kyc/poll-verification';
import { qrCodePath } from '../ramps/payment-qr-code';
import { createActionTokens } from '../portfolio/balances/action-tokens';
import { createBrokenTokens } from '../portfolio/balances/broken-tokens';
import { createOptionalCallCapacity } from '../portfolio/balances/chain-calls';
import { createLastHoldings } from '../portfolio/balances/last-holdings';
import { createProviderGuards } from '../venues/provider-guards';
import { createQuoteRequester } from '../venues/request-provider-quote';
import { findDeposit } from '../venues/providers/relay-bitcoin/relay-deliveries';
import { withGuardedPixKeyLookups } from '../venues/guarded-pix-key-lookups';
import { quoteDeadline } from '../quotes/quote-deadline';
import { createTokenRecorder } from '../prices/samples/sampled-tokens';
import { priceRowWriter, priceWriter } from '../quotes/quote-store';
import { withLostQuotesRewritten } from '../quotes/rewrite-lost-quotes';
import { createCustomersSubgraph } from '../../subgraphs/customers';
import { createKycSubgraph } from '../../subgraphs/kyc';
import type { Subgraph } from '../../subgraphs/schema/build-subgraph';
import { createStrategiesSubgraph } from '../../subgraphs/strategies';
import { createSwapsSubgraph, type SwapsDeps } from '../../subgraphs/swaps';
import { createWalletsSubgraph } from '../../subgraphs/wallets';
import { createReceiptTokens } from '../strategies/catalog/receipt-tokens';
import { deploymentRequester } from './deployments';
import { identityDeps, rampBrands } from './identity-deps';
import type { Infrastructure } from './infrastructure';
import { pixKeyRecorder, quoteRecorder, winnerRecorder } from './metrics/recorders';
import { outputBuilders } from './output-builders';
import { publicUrl } from './public-url';
import { orderCanceller } from './stocks';
import { snapshotTimes } from './snapshot-times';
import { strategiesDeps } from './strategies';

export type SubgraphName = 'swaps' | 'wallets' | 'customers' | 'kyc' | 'strategies';
export const SUBGRAPH_NAMES: readonly SubgraphName[] = ['swaps', 'wallets', 'customers', 'kyc', 'strategies'];

/** Builds a subgraph with the dependencies of its resolvers. */
export function createSubgraph(name: SubgraphName, infrastructure: Infrastructure): Subgraph {
  const { config, database, rpc, solana } = infrastructure;
  const chains = config.chains.table;
  switch (name) {
    case 'swaps':
      return createSwapsSubgraph(swapsDeps(infrastructure));
    case 'wallets':
      infrastructure.strategies.start();
      return createWalletsSubgraph({
        ...tokenBalances(infrastructure),
        receiptTokens: createReceiptTokens(infrastructure.strategies),
        database,
        pool: infrastructure.pool,
        snapshotTimes: snapshotTimes(config),
        watch: { maxWatchedWallets: config.MAX_WATCHED_WALLETS },
        maxRegisteredWallets: config.MAX_REGISTERED_WALLETS,
        tokenPrices: infrastructure.tokenPrices,
        isIndexed: indexedChains(config.INDEX_WALLETS),
        findLimit: infrastructure.access.findLimit,
        rpc,
        solana,
        chains,
        blockedAddresses: blockedAddresses(infrastructure),
        deployments: deploymentRequester(infrastructure),
      });
    case 'customers':
      return createCustomersSubgraph({
        database,
        pepper: config.API_KEY_PEPPER,
        limits: deploymentLimits(config),
        rateLimit: rateLimits(infrastructure),
        readHoldings: createHoldingsReader({
          balances: { ...tokenBalances(infrastructure), database, chains, rpc, solana },
          tokenPrices: infrastructure.tokenPrices,
          blockedAddresses: blockedAddresses(infrastructure),
        }),
        sealer: createWebhookSealer(config),
        webhookUrls: { allowLoopback: config.ALLOW_LOOPBACK_URLS },
        profile: (customer) => customerProfile({ database, rateLimit: rateLimits(infrastructure) }, customer),
      });
    case 'kyc':
      return createKycSubgraph(identityDeps(infrastructure));
    case 'strategies':
      return createStrategiesSubgraph(strategiesDeps(infrastructure, swapsDeps(infrastructure)));
  }
}

function swapsDeps(infrastructure: Infrastructure): SwapsDeps {
  const { config, log, access, database, pool, rpc, solana, bitcoin, tokens, prices, providers, guards } =
    infrastructure;
  const { vault } = infrastructure.kyc;
  const { metrics } = infrastructure.telemetry;
  const budgetMs = config.QUOTE_BUDGET_MS;
  const priceRows = withLostQuotesRewritten(priceRowWriter(pool), { pool, log });
  return {
    database,
    pool,
    rpc,
    solana,
    tokens,
    prices,
    tokenPrices: infrastructure.tokenPrices,
    recordTokens: createTokenRecorder({ pool, log, chains: config.chains.table, isServed: isServedBy(config) }),
    providers,
    budgetMs,
    ...createActionStarter({ database, limits: deploymentLimits(config) }),
    ...outputBuilders(infrastructure),
    chains: config.chains.table,
    isServed: isServedBy(config),
    sponsorship: { allowed: (customerId) => mayBeSponsored({ database }, customerId) },
    requestProviderQuote: createQuoteRequester({ budgetMs, log, guards, ...quoteRecorder(metrics) }),
    ...winnerRecorder(metrics),
    slots: createStreamSlots(),
    findLimit: access.findLimit,
    findContractKind: createContractKindFinder({ rpc }),
    findDeposit: (deposit, txid, signal) => findDeposit(bitcoin, { ...deposit, txid }, signal),
    countCallerRequest: (principal) => countCallerRequest(access.rateLimiter, principal),
    quoteDeadline: quoteDeadline(pool),
    savePrices: priceWriter(priceRows.write, vault),
    pendingRewrite: priceRows.pendingRewrite,
    quoteLifetimeSeconds: config.QUOTE_LIFETIME_SECONDS,
    maxPriceImpactBps: config.MAX_PRICE_IMPACT_BPS,
    actionExpirySeconds: config.ACTION_EXPIRY_SECONDS,
    blockedAddresses: new Set(config.BLOCKED_ADDRESSES ?? []),
    orders: orderCanceller(infrastructure),
    webhookUrls: { allowLoopback: config.ALLOW_LOOPBACK_URLS },
    fiat: {
      ...readOnlyPoller(identityDeps(infrastructure)),
      vault,
      chains: config.chains.table,
      ramps: withGuardedPixKeyLookups(infrastructure.ramps.rampProviders, { guards, budgetMs }),
      brands: rampBrands(config),
      ...pixKeyRecorder(metrics),
    },
    qrCodeUrl: (actionId) => `${publicUrl(config)}${qrCodePath(vault, actionId)}`,
  };
}

/** What the balances of wallets are read with, besides the connections of the process. */
const tokenBalances = ({ config, database, pool, tokens, log }: Infrastructure) => ({
  tokens,
  log,
  seenTokens: createActionTokens({ database }),
  brokenTokens: createBrokenTokens({ pool, log }),
  lastHoldings: createLastHoldings(),
  optionalCalls: createOptionalCallCapacity(),
  lateChains: new Set<string>(),
  guards: createProviderGuards(),
  chainTimeoutMs: Math.ceil(config.READ_TIMEOUT_MS * 0.75),
  metadataTimeoutMs: Math.ceil(config.READ_TIMEOUT_MS * 0.375),
  quarantineTimeoutMs: Math.ceil(config.READ_TIMEOUT_MS * 0.125),
});

/** Transactions on served chains are read from their nodes, on all other chains from the providers. */
export const isServedBy =
  ({ chains }: Infrastructure['config']) =>
  ({ kind, chainId }: Chain): boolean =>
    (kind !== 'evm' && kind !== 'solana') || chains.rpcUrls.has(chainId);

const blockedAddresses = ({ config }: Infrastructure): ReadonlySet<string> => new Set(config.BLOCKED_ADDRESSES ?? []);

const rateLimits = ({ config }: Infrastructure) => ({
  perMinute: config.RATE_LIMIT_PER_MINUTE,
  perHour: config.RATE_LIMIT_PER_HOUR,
});
