import type { Chain } from '../../chains/chain';
import { slugOf } from '../catalog/merge-rows';
import type { StoredMarket } from '../market/observation';
import { directActions, isRequested, type Strategy, type StrategyAction } from '../strategy';
import { STOCKS } from '../strategy-row';
import {
  dayChanges,
  flagsOf,
  type MarketFlag,
  sharePriceNumber,
  type StrategyFeeRates,
  underlyingUsd,
  usdRate,
  type Yields,
  yieldsOf,
} from './market-figures';
import { type RewardView, rewardViews, totalRewardYield } from './reward-figures';
import { type TokenView, tokenView } from './token-view';

/** How much of a strategy a list shows. */
export type DetailLevel = 'BASIC' | 'FULL';

export interface MarketDataView {
  /** For the samples, which are loaded on request. */
  readonly strategy: Strategy;
  readonly detail: DetailLevel;
  readonly lastRefreshedAt: Date;
  readonly sharePrice: number;
  readonly sharePriceChange24h: number | undefined;
  readonly sharePriceRefreshedAt: Date;
  readonly tvl: string;
  readonly tvlChange24h: number | undefined;
  readonly tvlUsd: number | undefined;
  readonly usdRate: number | undefined;
  readonly liquidity: string | undefined;
  readonly depositLimit: string | undefined;
  readonly acceptsDeposits: boolean;
  readonly allowsWithdrawals: boolean;
  readonly stale: boolean;
  readonly flags: readonly MarketFlag[];
}

/** A strategy as the API shows it. `strategy` serves the fields that are loaded on request. */
export interface StrategyView extends Yields {
  readonly strategy: Strategy;
  readonly id: string;
  readonly slug: string;
  readonly asset: string;
  readonly assetDecimals: number;
  readonly assetName: string;
  readonly availableActions: readonly StrategyAction[];
  readonly implementationSelector: string;
  readonly network: string;
  readonly networkId: string;
  readonly protocol: string;
  readonly underlyingAsset: string;
  readonly underlyingDecimals: number;
  readonly isDefault: boolean;
  readonly paused: boolean;
  /** `undefined` for an asset that may have been listed after its market began. */
  readonly startDate: string | undefined;
  readonly fee: string;
  readonly performanceFeeBps: string;
  readonly markupFeeBps: string;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly protocolInfo: { readonly name: string; readonly logo: string | undefined };
  readonly chain: {
    readonly name: string;
    readonly id: number;
    readonly explorer: Chain['explorer'];
    readonly logo: string | undefined;
  };
  readonly assetToken: TokenView;
  readonly underlyingToken: TokenView;
  readonly apy: number | undefined;
  /** Sum of the known rates of rewards. No part of the other yields. */
  readonly rewardAPY: number | undefined;
  readonly rewards: readonly RewardView[] | undefined;
  readonly marketData: MarketDataView | undefined;
  readonly logourl: string | undefined;
  readonly category: readonly string[];
}

/** What a view shows besides the strategy itself. */
export interface ViewContext {
  readonly market: StoredMarket | undefined;
  readonly fees: StrategyFeeRates;
  readonly detail: DetailLevel;
  readonly now: Date;
}

export function strategyView(strategy: Strategy, context: ViewContext): StrategyView {
  const { row, chain, underlying, receipt } = strategy;
  const { market, fees, detail, now } = context;
  const rewards = rewardViews(strategy, market, now);
  const yields = yieldsOf(strategy, market, fees);
  return {
    strategy,
    id: row.id,
    slug: slugOf(row.id),
    asset: receipt.address,
    assetDecimals: receipt.decimals,
    assetName: receipt.name,
    availableActions: availableActions(strategy),
    implementationSelector: row.protocol,
    network: chain.slug,
    networkId: String(chain.chainId),
    protocol: row.brand,
    underlyingAsset: underlying.address,
    underlyingDecimals: underlying.decimals,
    isDefault: row.isDefault,
    paused: row.paused,
    startDate: row.isMarketStart === true ? undefined : row.startDate,
    fee: String(fees.entryBps),
    performanceFeeBps: String(fees.performanceBps),
    markupFeeBps: String(fees.markupBps),
    metadata: detail === 'FULL' ? row.metadata : undefined,
    protocolInfo: { name: row.brand, logo: row.logoURI },
    chain: { name: chain.name, id: chain.chainId, explorer: chain.explorer, logo: chain.logoURI },
    assetToken: tokenView(receipt),
    underlyingToken: tokenView(underlying),
    ...yields,
    apy: yields.grossAPY,
    rewardAPY: totalRewardYield(rewards),
    rewards: detail === 'FULL' ? rewards : undefined,
    marketData: market === undefined ? undefined : marketData(strategy, market, context),
    logourl: row.logoURI ?? underlying.logoURI,
    category: row.categories,
  };
}

/** A strategy that the deployment has paused still pays out. */
export function availableActions(
  strategy: Pick<Strategy, 'row' | 'contracts' | 'rewardTokens'>,
): readonly StrategyAction[] {
  const isOrdered = strategy.row.protocol === STOCKS;
  const actions = isOrdered ? ORDER_ACTIONS : directActions(strategy);
  if (!strategy.row.paused) return actions;
  const deposit = isOrdered || isRequested(strategy, 'lend') ? 'request-lend' : 'lend';
  return actions.filter((action) => action !== deposit);
}

const ORDER_ACTIONS = ['request-lend', 'request-withdraw'] as const;

function marketData(
  strategy: Strategy,
  market: StoredMarket,
  { detail, now }: Pick<ViewContext, 'detail' | 'now'>,
): MarketDataView {
  const { observation } = market;
  const changes = dayChanges(market);
  const flags = flagsOf(strategy, market, now);
  return {
    strategy,
    detail,
    lastRefreshedAt: observation.observedAt,
    sharePrice: sharePriceNumber(strategy, observation.sharePriceRay),
    sharePriceChange24h: changes.sharePrice,
    sharePriceRefreshedAt: observation.at,
    tvl: observation.tvl.toString(),
    tvlChange24h: changes.tvl,
    tvlUsd: underlyingUsd(strategy, observation.tvl, observation.usdE24),
    usdRate: usdRate(observation.usdE24),
    liquidity: observation.liquidity?.toString(),
    depositLimit: observation.depositLimit?.toString(),
    acceptsDeposits: observation.acceptsDeposits && !strategy.row.paused,
    allowsWithdrawals: observation.allowsWithdrawals,
    stale: flags.includes('STALE'),
    flags,
  };
}
