import { describeFailure } from '../errors/describe-failure';
import { isServiceError } from '../errors/service-error';
import { enqueue } from '../jobs/enqueue';
import { createLatestMarkets } from '../strategies/market/latest-markets';
import { createRateFeed } from '../strategies/market/rate-feed';
import { refreshMarkets } from '../strategies/market/refresh-markets';
import { PROTOCOL_READERS, PROTOCOLS } from '../strategies/protocols/protocols';
import { activateDeploymentFees } from '../strategies/fees/activate-deployment-fees';
import { collectFees } from '../strategies/collection/collect-fees';
import { type CollectionRegistry, createCollectionRegistry } from '../strategies/collection/collection-registry';
import { activateFees } from '../strategies/fees/activate-fees';
import { createFeeReader } from '../strategies/fees/customer-fees';
import type { RequestedFees } from '../strategies/fees/requested-fees';
import { checkRouters, createStrategyRouterFinder } from '../strategies/router/find-router';
import type { StrategiesSubgraphDeps } from '../../subgraphs/strategies';
import type { SwapsDeps } from '../../subgraphs/swaps';
import type { Infrastructure } from './infrastructure';
import { positionDeps } from './positions';
import { snapshotTimes } from './snapshot-times';

const feesOf = ({ config }: Pick<Infrastructure, 'config'>): RequestedFees => ({
  entryBps: config.STRATEGY_ENTRY_FEE_BPS,
  performanceBps: config.STRATEGY_PERFORMANCE_FEE_BPS,
  markupBps: config.STRATEGY_MARKUP_FEE_BPS,
  collector: config.STRATEGY_FEE_COLLECTOR,
});

/** What the subgraph of strategies needs. Starts to read the contracts of the strategies. */
export function strategiesDeps(infrastructure: Infrastructure, swaps: SwapsDeps): StrategiesSubgraphDeps {
  const { config, pool, log, rpc, strategies } = infrastructure;
  strategies.start();
  const findRouter = createStrategyRouterFinder({ rpc, log });
  void checkRouters(findRouter, strategies.chains, { rpc, log });
  const markets = createLatestMarkets({ pool, log });
  const defaults = feesOf(infrastructure);
  const readFees = createFeeReader({ database: infrastructure.database, defaults });
  const positions = positionDeps(infrastructure);
  return {
    ...positions,
    pool,
    snapshotTimes: snapshotTimes(config),
    strategies,
    markets,
    rateFeed: createRateFeed({ markets, log }),
    findLimit: swaps.findLimit,
    chains: config.chains.table,
    defaults,
    readFees,
    registry: collectionRegistry(infrastructure),
    findContractKind: swaps.findContractKind,
    blockedAddresses: new Set(config.BLOCKED_ADDRESSES ?? []),
    operations: {
      ...swaps,
      strategies,
      readFees,
      findRouter,
      positions,
      protocols: PROTOCOLS,
      stocks: infrastructure.stocks.services,
    },
  };
}

/** Adds a job for each chain: they run at the same time, in any worker. A job that still waits is replaced. */
export async function scheduleRefreshes({ database, strategies }: Infrastructure): Promise<void> {
  for (const { chainId } of strategies.chains) await scheduleRefresh(database, chainId);
}

const scheduleRefresh = (database: Infrastructure['database'], chainId: number): Promise<void> =>
  enqueue(database, { name: 'refreshMarkets', payload: { chainId }, key: `refreshMarkets:${String(chainId)}` });

/** Reads the contracts of the strategies, and the market data of each chain as soon as its contracts were read. */
export function startMarketData({ database, strategies, log }: Infrastructure): void {
  strategies.start();
  for (const { chainId, slug } of strategies.chains) {
    const scheduled = strategies.firstPass(chainId).then(() => scheduleRefresh(database, chainId));
    void scheduled.catch((error: unknown) => {
      log.warn({ chain: slug, cause: describeFailure(error) }, 'the market data is read with the next schedule');
    });
  }
}

/** Activates fees on profit that customers requested, and those of the deployment. */
export async function activateRequestedFees(infrastructure: Infrastructure, signal: AbortSignal): Promise<void> {
  const { database, rpc, strategies, log } = infrastructure;
  const deps = { database, rpc, strategies, log, protocols: PROTOCOLS };
  await Promise.all([
    activateFees(deps, signal),
    activateDeploymentFees({ ...deps, defaults: feesOf(infrastructure) }, signal),
  ]);
}

const collectionRegistry = ({ config, rpc, serviceWallet }: Infrastructure): CollectionRegistry =>
  createCollectionRegistry({ rpc, serviceWallet, maxGasUsd: config.COLLECTION_GAS_MAX_USD });

/** Collects fees on profit without a withdrawal, where a chain has a registry and the service is its controller. */
export async function collectProfitFees(infrastructure: Infrastructure, signal: AbortSignal): Promise<void> {
  const { config, database, strategies, log, serviceWallet } = infrastructure;
  if (serviceWallet === undefined) return;
  if (config.chains.table.all.every((chain) => chain.collectionRegistry === undefined)) return;
  const readFees = createFeeReader({ database, defaults: feesOf(infrastructure) });
  const registry = collectionRegistry(infrastructure);
  await collectFees({ database, strategies, log, registry, readFees, positions: positionDeps(infrastructure) }, signal);
}

/** Refreshes the market data of the strategies of a chain. */
export async function refreshChain(
  { config, rpc, pool, tokenPrices, strategies, log }: Infrastructure,
  chainId: number,
  signal: AbortSignal,
): Promise<void> {
  await strategies.firstPass(chainId);
  const chain = config.chains.table.byId(chainId);
  if (chain === undefined || !rpc.serves(chainId)) return;
  const deps = { rpc, pool, log, strategies, protocols: PROTOCOL_READERS, prices: tokenPrices };
  await refreshMarkets(deps, chain, signal).catch((error: unknown) => {
    // The next schedule reads it again.
    if (!isServiceError(error)) throw error;
    log.warn({ chain: chain.slug, cause: describeFailure(error) }, 'the markets of a chain could not be read');
  });
}
