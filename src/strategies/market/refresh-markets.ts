import type { Logger } from 'pino';
import { anySignal } from '../../async/any-signal';
import type { TokenPriceReader } from '../../prices/token-price';
import type { Chain } from '../../chains/chain';
import { marketKey, slugOf, slugsOf } from '../catalog/merge-rows';
import { type ChainReadDeps, readProtocols } from '../catalog/read-at-block';
import type { Strategies } from '../catalog/strategies';
import type { MarketState, ProtocolReader } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { ProtocolName } from '../strategy-row';
import { acceptObservation, type ObservedMarket } from './accept-observation';
import { adoptHistories, type NewStrategy } from './adopt-histories';
import { type MarketStoreDeps, readBases, readMarkets, storeMarkets } from './market-store';
import type { MarketObservation, StoredMarket } from './observation';
import { type PricesByAddress, rewardRates } from './reward-rates';
import { removeSamplesAfter, storeMarketSamples } from './sample-store';

/** Time between two refreshes of a chain: the schedule of the job. */
export const REFRESH_SECONDS = 300;
/** Shorter than the time between two refreshes. */
const TIMEOUT_MS = 60_000;
/** Columns of the database. A larger number is a broken contract. */
const MAX_STORED = 10n ** 78n;

export interface RefreshMarketsDeps extends ChainReadDeps, MarketStoreDeps {
  readonly strategies: Pick<Strategies, 'all'>;
  readonly protocols: Readonly<Partial<Record<ProtocolName, ProtocolReader>>>;
  readonly prices: TokenPriceReader;
  readonly log: Pick<Logger, 'warn'>;
}

export interface RefreshSummary {
  /** Strategies whose observation was stored. */
  readonly stored: number;
  /** Strategies whose contracts did not return a usable state. */
  readonly failed: number;
}

/**
 * Reads the markets of all strategies of a chain at one block, and stores the values. A market that cannot be read keeps
 * what was stored before, and becomes stale.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function refreshMarkets(
  deps: RefreshMarketsDeps,
  chain: Chain,
  signal: AbortSignal,
): Promise<RefreshSummary> {
  const strategies = deps.strategies.all().filter((strategy) => strategy.chain.chainId === chain.chainId);
  if (strategies.length === 0) return { stored: 0, failed: 0 };
  const observed = await observe(deps, { chain, strategies, signal });
  const failed = strategies.length - observed.length;
  if (failed > 0) deps.log.warn({ chain: chain.slug, failed }, 'the markets of some strategies could not be read');
  return { stored: await store(deps, observed), failed };
}

interface ObserveRequest {
  readonly chain: Chain;
  readonly strategies: readonly Strategy[];
  readonly signal: AbortSignal;
}

interface ObservedStrategy extends Omit<ObservedMarket, 'base'>, NewStrategy {
  readonly market: string;
}

async function observe(
  deps: RefreshMarketsDeps,
  { chain, strategies, signal }: ObserveRequest,
): Promise<readonly ObservedStrategy[]> {
  const served = strategies.flatMap((strategy) => {
    const protocol = deps.protocols[strategy.row.protocol];
    return protocol === undefined ? [] : [{ strategy, read: protocol.market(strategy) }];
  });
  const limit = anySignal(signal, AbortSignal.timeout(TIMEOUT_MS));
  const [{ block, states }, prices] = await Promise.all([
    readProtocols(deps, { chain, reads: served.map(({ read }) => read), signal: limit }),
    readPrices(deps, strategies),
  ]);
  const at = new Date(Number.parseInt(block.timestamp.toString(), 10) * 1000);
  const observedAt = new Date();
  return served.flatMap(({ strategy: { row, underlying } }, index) => {
    const state = states[index];
    if (state?.kind !== 'read' || state.value === undefined || !isUsable(state.value)) return [];
    const { emissions, ...market } = state.value;
    const read = { at, blockNumber: block.number, observedAt, usdE24: prices.get(underlying.address)?.usdE24 };
    const rewards = emissions === undefined ? undefined : rewardRates(state.value, underlying, prices);
    const observation: MarketObservation = { ...market, ...read, rewards };
    const [strategyId = slugOf(row.id), ...aliases] = slugsOf(row);
    return [{ strategyId, aliases, chainId: chain.chainId, market: marketKey(row), observation }];
  });
}

const isUsable = ({
  sharePriceRay,
  yearlyRateRay = 0n,
  tvl,
  liquidity = 0n,
  depositLimit = 0n,
}: MarketState): boolean =>
  sharePriceRay > 0n &&
  [sharePriceRay, yearlyRateRay, tvl, liquidity, depositLimit].every((value) => value >= 0n && value < MAX_STORED);

/** Fresh prices of the assets and reward tokens of strategies. */
async function readPrices({ prices }: RefreshMarketsDeps, strategies: readonly Strategy[]): Promise<PricesByAddress> {
  const priced = strategies.flatMap(({ underlying, rewardTokens = [] }) => [underlying, ...rewardTokens]);
  const tokens = [...new Map(priced.map((token) => [token.address, token])).values()];
  const results = await prices.read(tokens);
  return new Map(
    tokens.flatMap(({ address }, index) => {
      const price = results[index]?.price;
      return price === undefined ? [] : [[address, price] as const];
    }),
  );
}

async function store(deps: RefreshMarketsDeps, observed: readonly ObservedStrategy[]): Promise<number> {
  const [first] = observed;
  if (first === undefined) return 0;
  const strategyIds = observed.map(({ strategyId }) => strategyId);
  const before = await readStored(deps, observed);
  // Samples under a former id have the new one only now.
  const bases = await readBases(deps, { strategyIds, at: first.observation.at });
  const accepted = observed.flatMap((each) => {
    const { strategyId } = each;
    return acceptObservation(before.get(strategyId), { ...each, base: bases.get(strategyId) }) ?? [];
  });
  const disproved = accepted.filter(({ disproves }) => disproves).map(({ store: { strategyId } }) => strategyId);
  if (disproved.length > 0) {
    deps.log.warn({ strategies: disproved }, 'values of markets were of blocks in the future, and are replaced');
    await removeSamplesAfter(deps, disproved, first.observation.observedAt);
  }
  const samples = accepted.filter(({ isSample }) => isSample);
  await storeMarketSamples(
    deps,
    samples.map((each) => each.store),
  );
  return storeMarkets(
    deps,
    accepted.map((each) => each.store),
  );
}

/** The stored values of markets, also those under a former id of a strategy. */
async function readStored(
  deps: RefreshMarketsDeps,
  observed: readonly ObservedStrategy[],
): Promise<ReadonlyMap<string, StoredMarket>> {
  const ids = observed.map(({ strategyId }) => strategyId);
  const stored = await readMarkets(deps, ids);
  const missing = observed.filter(({ strategyId }) => !stored.has(strategyId));
  if (missing.length === 0) return stored;
  const present = deps.strategies.all().map(({ row }) => slugOf(row.id));
  const added = missing.map(({ strategyId, chainId, market, aliases }) => ({ strategyId, chainId, market, aliases }));
  await adoptHistories(deps, added, present);
  return readMarkets(deps, ids);
}
