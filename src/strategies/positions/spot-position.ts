import { maxBigInt } from '../../money/min-max';
import { formatUsd, type MicroUsd, sumUsd, type UsdPrice } from '../../money/usd';
import { type AmountView, amountView, usdOf } from './amount-view';
import { profitFees } from '../fees/profit-fees';
import { type StrategyHolding, NOTHING_REQUESTED, type RequestedAmount } from '../protocols/protocol';
import type { StrategyFees } from '../strategy-fees';
import {
  avgPurchasePriceOf,
  cumulativeProfitOf,
  type PositionState,
  principalOf,
  profitOf,
  realizedProfitOf,
} from './position-state';
import type { PositionReading } from './read-positions';
import { HISTORY_PROBLEMS } from './check-history';

/**
 * Why a position is stale: its history, rewards that cannot be read, its chain, whose last known state it shows then, or an overview
 * that is read again.
 */
export const STALE_REASONS = [...HISTORY_PROBLEMS, 'REWARDS_UNREAD', 'CHAIN_UNAVAILABLE', 'SNAPSHOT_STALE'] as const;
export type StaleReason = (typeof STALE_REASONS)[number];

/** A gain, before and after the fees that its withdrawal would cost. */
export interface ProfitView extends AmountView {
  /** Base units. The least that remains while it is uncertain from which cost profit is charged. */
  readonly afterFees: string;
}

/** A position at a block. What depends on its cost is `undefined` while the cost is uncertain. */
export interface SpotPosition {
  readonly currentPosition: AmountView;
  readonly underlyingBalance: AmountView;
  readonly currentPositionInShares: AmountView;
  readonly receiptBalance: AmountView;
  readonly availableToWithdraw: readonly AmountView[];
  /**
   * Rewards that can be claimed, each in its own token, as far as they can be read; the shares of fulfilled deposits; the assets of
   * fulfilled withdrawals.
   */
  readonly availableToClaim: readonly AmountView[];
  /**
   * Pending deposits and open purchases, in assets and in shares at the current price. No part of the value, as long as they are not
   * claimed or filled.
   */
  readonly requestedToLend: readonly AmountView[];
  readonly requestedToLendInShares: readonly AmountView[];
  /** Pending withdrawals, in assets at the current price and in shares. A part of the value. */
  readonly requestedToWithdraw: readonly AmountView[];
  readonly requestedToWithdrawInShares: readonly AmountView[];
  /** False when the protocol's limits are not trusted: `availableToWithdraw` is the whole position then. */
  readonly isAvailableTrusted: boolean;
  readonly principal: AmountView | undefined;
  readonly profit: ProfitView | undefined;
  readonly cumulativeProfit: AmountView | undefined;
  readonly realizedProfit: AmountView | undefined;
  /** Deposits minus withdrawals. */
  readonly netDeposits: AmountView | undefined;
  /** Price of one whole share. */
  readonly avgPurchasePrice: AmountView | undefined;
  readonly profitInUSD: string | undefined;
  readonly underlyingBalanceUSD: string | undefined;
  /** The same two, for sums. */
  readonly profitUsd: MicroUsd | undefined;
  readonly valueUsd: MicroUsd | undefined;
  /** Deposits and purchases that are pending or can be claimed, which are no part of the value. 0 without any, also without a price. */
  readonly requestedUsd: MicroUsd | undefined;
  readonly stale: boolean;
  readonly staleReason: StaleReason | undefined;
  readonly asOf: Date;
  readonly blockNumber: bigint;
  /** Price of one whole unit of the underlying asset. */
  readonly price: UsdPrice | undefined;
  /** Hashes, in lower case, of transactions that changed the position in blocks that are not final. */
  readonly recentTransactions: readonly string[];
}

export interface SpotPositionDeps {
  /** Price of the underlying asset. */
  readonly price: UsdPrice | undefined;
  /** Prices of the rewards of the holding, in their order. */
  readonly rewardPrices: readonly (UsdPrice | undefined)[];
  readonly fees: Pick<StrategyFees, 'performanceBps' | 'markupBps'>;
  /** The position with the costs from which profit is charged; `undefined` while they are uncertain. They are never less than its own. */
  readonly charged: PositionState | undefined;
}

/** The position as clients show it. */
export function spotPosition(reading: PositionReading, deps: SpotPositionDeps): SpotPosition {
  const { strategy, holding, asOf, recent } = reading;
  const staleReason = reading.problem ?? (holding.unreadRewards === undefined ? undefined : 'REWARDS_UNREAD');
  const { underlying, receipt } = strategy;
  const inUnderlying = (amount: bigint): AmountView =>
    amountView(underlying, amount, usdOf(amount, underlying, deps.price));
  const usd = usdOf(holding.value, underlying, deps.price);
  const position = inUnderlying(holding.value);
  return {
    currentPosition: position,
    underlyingBalance: position,
    currentPositionInShares: amountView(receipt, holding.shares, usd),
    receiptBalance: amountView(receipt, holding.receiptBalance, usdOf(worthInWallet(holding), underlying, deps.price)),
    availableToWithdraw: holding.availableToWithdraw > 0n ? [inUnderlying(holding.availableToWithdraw)] : [],
    availableToClaim: [
      ...(holding.rewards ?? []).map(({ token, amount }, index) =>
        amountView(token, amount, usdOf(amount, token, deps.rewardPrices[index])),
      ),
      ...claimableViews(reading, deps.price),
    ],
    ...requestViews(reading, deps.price),
    isAvailableTrusted: holding.isAvailableTrusted,
    ...costViews(reading, deps, inUnderlying),
    underlyingBalanceUSD: textOf(usd),
    valueUsd: usd,
    stale: staleReason !== undefined,
    staleReason,
    asOf: asOf.time,
    blockNumber: asOf.blockNumber,
    price: deps.price,
    recentTransactions: [...new Set(recent.map(({ txHash }) => txHash.toLowerCase()))],
  };
}

/** The part of the value that the wallet itself has: the vault has the shares of requested withdrawals. */
const worthInWallet = ({ value, receiptWorth, requests }: StrategyHolding): bigint =>
  receiptWorth ?? maxBigInt(value - (requests?.withdraw.assets ?? 0n) - (requests?.claimableWithdraw.assets ?? 0n), 0n);

type PricedReading = Pick<PositionReading, 'strategy' | 'holding'>;

/** What the vault has fulfilled. Worth nothing of the position's value for deposits, and a part of it for withdrawals. */
function claimableViews(
  { strategy: { underlying, receipt }, holding: { requests } }: PricedReading,
  price: UsdPrice | undefined,
): readonly AmountView[] {
  if (requests === undefined) return [];
  const { claimableLend, claimableWithdraw } = requests;
  const usd = (assets: bigint): MicroUsd | undefined => usdOf(assets, underlying, price);
  return [
    amountView(receipt, claimableLend.shares, usd(claimableLend.worth)),
    amountView(underlying, claimableWithdraw.assets, usd(claimableWithdraw.assets)),
  ].filter(isSome);
}

function requestViews(
  { strategy: { underlying, receipt }, holding: { requests } }: PricedReading,
  price: UsdPrice | undefined,
): Pick<
  SpotPosition,
  'requestedToLend' | 'requestedToLendInShares' | 'requestedToWithdraw' | 'requestedToWithdrawInShares' | 'requestedUsd'
> {
  const viewsOf = ({ assets, shares }: RequestedAmount) => {
    const usd = usdOf(assets, underlying, price);
    const isNone = assets === 0n && shares === 0n;
    return isNone
      ? NO_VIEWS
      : { assets: [amountView(underlying, assets, usd)], shares: [amountView(receipt, shares, usd)] };
  };
  const [lend, withdraw] = [
    viewsOf(requests?.lend ?? NOTHING_REQUESTED),
    viewsOf(requests?.withdraw ?? NOTHING_REQUESTED),
  ];
  const outside = (requests?.lend.assets ?? 0n) + (requests?.claimableLend.worth ?? 0n);
  return {
    requestedToLend: lend.assets,
    requestedToLendInShares: lend.shares,
    requestedToWithdraw: withdraw.assets,
    requestedToWithdrawInShares: withdraw.shares,
    requestedUsd: outside === 0n ? sumUsd([]) : usdOf(outside, underlying, price),
  };
}

const NO_VIEWS = { assets: [], shares: [] };

const isSome = ({ value }: AmountView): boolean => value !== '0';

type CostView = Pick<
  SpotPosition,
  | 'principal'
  | 'profit'
  | 'cumulativeProfit'
  | 'realizedProfit'
  | 'avgPurchasePrice'
  | 'profitInUSD'
  | 'profitUsd'
  | 'netDeposits'
>;

function costViews(
  { state, holding, strategy }: PositionReading,
  { price, fees, charged }: SpotPositionDeps,
  inUnderlying: (amount: bigint) => AmountView,
): CostView {
  if (state === undefined) {
    return {
      principal: undefined,
      profit: undefined,
      cumulativeProfit: undefined,
      realizedProfit: undefined,
      avgPurchasePrice: undefined,
      profitInUSD: undefined,
      profitUsd: undefined,
      netDeposits: undefined,
    };
  }
  const { value } = holding;
  const profit = profitOf(state, value);
  const profitUsd = usdOf(profit, strategy.underlying, price);
  const afterFees = profitAfterFees(profit, { value, fees, charged: charged ?? state });
  return {
    principal: inUnderlying(principalOf(state)),
    profit: { ...inUnderlying(profit), afterFees: afterFees.toString() },
    cumulativeProfit: inUnderlying(cumulativeProfitOf(state, value)),
    realizedProfit: inUnderlying(realizedProfitOf(state)),
    avgPurchasePrice: inUnderlying(avgPurchasePriceOf(state, strategy.receipt.decimals)),
    profitInUSD: textOf(profitUsd),
    profitUsd,
    netDeposits: inUnderlying(state.netPaidIn),
  };
}

/** The gain minus the fees that a withdrawal of everything would cost. */
function profitAfterFees(
  profit: bigint,
  {
    value,
    fees,
    charged: state,
  }: Pick<SpotPositionDeps, 'fees'> & { readonly value: bigint; readonly charged: PositionState },
): bigint {
  const { performance, markup } = profitFees({ position: { state, value }, assets: value, shares: state.shares }, fees);
  return profit - performance - markup;
}

const textOf = (usd: MicroUsd | undefined): string | undefined => (usd === undefined ? undefined : formatUsd(usd));
