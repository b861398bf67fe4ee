import type { Logger } from 'pino';
import { anySignal } from '../../async/any-signal';
import type { TokenPriceReader } from '../../prices/token-price';
import type { Chain } from '../../chains/chain';
import type { UsdPrice } from '../../money/usd';
import { slugOf } from '../catalog/merge-rows';
import { type ChainReadDeps, readProtocols } from '../catalog/read-at-block';
import type { Strategies } from '../catalog/strategies';
import type { MarketState, ProtocolReader } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { ProtocolName } from '../strategy-row';
import { acceptObservation, type ObservedMarket } from './accept-observation';
import { type MarketStoreDeps, readBases, readMarkets, storeMarkets } from './market-store';
import type { MarketObservation } from './observation';
import { storeMarketSamples } from './sample-store';

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

type Observed = Omit<ObservedMarket, 'base'>;

async function observe(
  deps: RefreshMarketsDeps,
  { chain, strategies, signal }: ObserveRequest,
): Promise<readonly Observed[]> {
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
    const read = { at, blockNumber: block.number, observedAt, usdE24: prices.get(underlying.address) };
    const observation: MarketObservation = { ...state.value, ...read };
    return [{ strategyId: slugOf(row.id), chainId: chain.chainId, observation }];
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

/** By the address of the asset. An asset without a price is missing. */
async function readPrices(
  { prices }: RefreshMarketsDeps,
  strategies: readonly Strategy[],
): Promise<ReadonlyMap<string, UsdPrice>> {
  const assets = [...new Map(strategies.map(({ underlying }) => [underlying.address, underlying])).values()];
  const results = await prices.read(assets);
  return new Map(
    assets.flatMap(({ address }, index) => {
      const price = results[index]?.price;
      return price === undefined ? [] : [[address, price.usdE24] as const];
    }),
  );
}

async function store(deps: RefreshMarketsDeps, observed: readonly Observed[]): Promise<number> {
  const [first] = observed;
  if (first === undefined) return 0;
  const strategyIds = observed.map(({ strategyId }) => strategyId);
  const [before, bases] = await Promise.all([
    readMarkets(deps, strategyIds),
    readBases(deps, { strategyIds, at: first.observation.at }),
  ]);
  const accepted = observed.flatMap((each) => {
    const { strategyId } = each;
    return acceptObservation(before.get(strategyId), { ...each, base: bases.get(strategyId) }) ?? [];
  });
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
