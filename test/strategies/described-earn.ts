import { uniformFees } from '../../src/strategies/fees/customer-fees';
import type { StoredMarket } from '../../src/strategies/market/observation';
import { foldPosition } from '../../src/strategies/positions/position-state';
import { spotPosition } from '../../src/strategies/positions/spot-position';
import type { WalletEarn } from '../../src/strategies/positions/wallet-earn';
import type { Strategy } from '../../src/strategies/strategy';
import { strategyView } from '../../src/strategies/views/strategy-view';
import type { UsdPrice } from '../../src/money/usd';
import type { Token } from '../../src/tokens/token';
import { addressOf, ethereum, RAY, rowOf } from './scripted-catalog';

const FEES = uniformFees({ entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined, marks: [] });
const ONE_DOLLAR = (10n ** 24n) as UsdPrice;

const tokenOf = (index: number): Token => ({
  chainId: 1,
  address: addressOf(index),
  symbol: 'TKN',
  name: 'Token',
  decimals: 6,
  logoURI: undefined,
});

export const scriptedStrategy = (index: number): Strategy => ({
  row: rowOf(index),
  chain: ethereum,
  underlying: tokenOf(900),
  receipt: tokenOf(index),
  contracts: {},
});

const marketOf = ({ row }: Strategy, at: Date): StoredMarket => ({
  strategyId: row.id,
  chainId: 1,
  observation: {
    at,
    observedAt: at,
    blockNumber: 1n,
    sharePriceRay: RAY,
    yearlyRateRay: RAY / 10n,
    tvl: 1_000_000n,
    liquidity: 5n,
    depositLimit: undefined,
    acceptsDeposits: true,
    allowsWithdrawals: true,
    usdE24: undefined,
  },
  base: undefined,
  first: { at, sharePriceRay: RAY },
  rateSumE18: 0n,
  rateSeconds: 0n,
  doubtful: undefined,
});

/** The overview of a wallet that has deposited 1,000 base units in each strategy, which are worth 2,000, with a reward of 3 units. */
export function describedEarn(strategies: readonly Strategy[], at = new Date(1_700_000_000_000)): WalletEarn {
  const holding = { shares: 1000n, value: 2000n, receiptBalance: 1000n, availableToWithdraw: 2000n, debt: 0n };
  const positions = strategies.map((strategy) => {
    const market = marketOf(strategy, at);
    const fees = FEES.of(strategy);
    const strategyShown = strategyView(strategy, { market, fees, detail: 'FULL', now: at });
    const state = foldPosition([{ kind: 'deposit', shares: 1000n, assets: 1000n }]);
    const reading = {
      strategy,
      state,
      asOf: { blockNumber: 1n, time: at },
      total: undefined,
      recent: [],
      problem: undefined,
      holding: { ...holding, isAvailableTrusted: true, rewards: [{ token: strategy.underlying, amount: 3n }] },
    };
    const spot = spotPosition(reading, { price: ONE_DOLLAR, rewardPrices: [ONE_DOLLAR], fees, charged: state });
    const yields = { grossAPY: 0.1, netAPY: 0.1, avgApy: undefined, inceptionApy: undefined, apy: 0.1 };
    const realized = { realizedApy7d: undefined, realizedApy30d: undefined };
    return { strategy: strategyShown, spotPosition: { ...spot, ...yields, ...realized } };
  });
  return {
    positions,
    unread: [],
    summary: { totalProfitInUSD: '0', totalUnderlyingBalanceUSD: '0' },
    snapshot: { state: 'fresh', staleReason: undefined },
    blocks: { 1: 1n },
    unavailable: [],
    actions: { pendingCount: 0, executed: [], since: undefined },
    staleness: { stalePositions: 0, oldestAsOf: at },
    errors: [],
    real: undefined,
  };
}
