import { isSameAddress } from '../../chains/addresses';
import { formatUsd } from '../../money/usd';
import { type AmountView, amountView, usdOf } from './amount-view';
import type { ExecutedAction, WalletActions } from './executed-actions';
import { groupBy } from './group-by';
import type { EarnPositionView } from './position-view';

/**
 * What executed actions mean for positions of an earlier block:
 *
 * - `EXECUTED_ACTIONS`: the positions contain the amounts of all of them.
 * - `UNKNOWN_AMOUNTS`: they lack some, whose exact effect is unknown.
 */
export const DELTA_REASONS = ['EXECUTED_ACTIONS', 'UNKNOWN_AMOUNTS'] as const;
export type DeltaReason = (typeof DELTA_REASONS)[number];

/** Positions, each at its block. */
export interface ReadPositions {
  readonly positions: readonly EarnPositionView[];
  /** The block at which the positions of a chain were read, by its id. A strategy without a position had none then. */
  readonly blocks: Readonly<Record<string, bigint>>;
  /** Ids of the strategies that could not be read at that block, whatever the wallet has there. */
  readonly unavailable: readonly string[];
}

interface PositionsWithDeltas {
  readonly positions: readonly EarnPositionView[];
  readonly isApplied: boolean;
  readonly reason: DeltaReason | undefined;
}

/**
 * Adds what actions of the wallet have moved since the block of each position. A position contains the actions of its block and
 * of those before, and those whose transaction its history has, in whichever block it was before a reorganisation. A
 * position stays as it is when the amount of one action is unknown, or when some actions may not have been read: a later amount on
 * top of it would be a guess.
 */
export function applyDeltas(read: ReadPositions, actions: WalletActions): PositionsWithDeltas {
  const { since = new Date(0) } = actions;
  const isPartial = read.positions.some(({ spotPosition: spot }) => spot.asOf < since);
  const missing = groupBy(missingActions(read, actions).executed, ({ strategyId }) => strategyId);
  if (missing.size === 0) return { positions: read.positions, isApplied: false, reason: reasonOf(isPartial, false) };
  const changed = new Map(
    read.positions.flatMap((position) => {
      if (position.spotPosition.asOf < since) return [];
      const next = withActions(position, missing.get(position.strategy.id) ?? []);
      return next === undefined ? [] : [[position.strategy.id, next] as const];
    }),
  );
  const isUnknown = isPartial || [...missing.keys()].some((id) => !changed.has(id));
  return {
    positions: read.positions.map((position) => changed.get(position.strategy.id) ?? position),
    isApplied: changed.size > 0,
    reason: reasonOf(isUnknown, changed.size > 0),
  };
}

function reasonOf(isUnknown: boolean, isApplied: boolean): DeltaReason | undefined {
  if (isUnknown) return 'UNKNOWN_AMOUNTS';
  return isApplied ? 'EXECUTED_ACTIONS' : undefined;
}

/** The actions without those that the positions contain. */
export const missingActions = (read: ReadPositions, actions: WalletActions): WalletActions => ({
  ...actions,
  executed: actions.executed.filter((action) => !isContained(read, action)),
});

function isContained({ positions, blocks, unavailable }: ReadPositions, action: ExecutedAction): boolean {
  const { strategyId, chainId, blockNumber, txHash } = action;
  const position = positions.find(({ strategy }) => strategy.id === strategyId)?.spotPosition;
  if (position === undefined) return !unavailable.includes(strategyId) && blockNumber <= (blocks[chainId] ?? -1n);
  return blockNumber <= position.blockNumber || position.recentTransactions.includes(txHash.toLowerCase());
}

/** `undefined` unless the position changes, by amounts that are all known. */
function withActions(position: EarnPositionView, actions: readonly ExecutedAction[]): EarnPositionView | undefined {
  if (actions.length === 0) return undefined;
  return actions.reduce<EarnPositionView | undefined>(
    (current, action) => (current === undefined ? undefined : withAction(current, action)),
    position,
  );
}

/** `undefined` when the amount is unknown, or more than the position was worth: the interest since its block is unknown. */
function withAction(
  { strategy, spotPosition: spot }: EarnPositionView,
  { kind, assets, tokenOut }: ExecutedAction,
): EarnPositionView | undefined {
  if (kind === 'claim') return { strategy, spotPosition: afterClaim(spot, tokenOut) };
  if (kind === 'request' || assets === undefined) return undefined;
  const { underlying } = strategy.strategy;
  const change = kind === 'deposit' ? assets : -assets;
  const value = BigInt(spot.currentPosition.value) + change;
  if (value < 0n) return undefined;
  const add = (amount: AmountView): AmountView => {
    const sum = BigInt(amount.value) + change;
    return amountView(underlying, sum, usdOf(sum, underlying, spot.price));
  };
  const usd = usdOf(value, underlying, spot.price);
  const current = amountView(underlying, value, usd);
  const changed = {
    ...spot,
    currentPosition: current,
    underlyingBalance: current,
    underlyingBalanceUSD: usd === undefined ? undefined : formatUsd(usd),
    valueUsd: usd,
    netDeposits: spot.netDeposits && add(spot.netDeposits),
  };
  return { strategy, spotPosition: kind === 'deposit' ? afterDeposit(changed, add) : afterWithdrawal(changed, add) };
}

type Spot = EarnPositionView['spotPosition'];
type AddChange = (amount: AmountView) => AmountView;

/** A claim takes all of one reward. */
const afterClaim = (spot: Spot, reward: string): Spot => ({
  ...spot,
  availableToClaim: spot.availableToClaim.filter(({ asset }) => !isSameAddress(asset, reward)),
});

/** A deposit changes the cost by its assets, and no gain. Its shares, and with them the average price, are unknown. */
const afterDeposit = (spot: Spot, add: AddChange): Spot => ({
  ...spot,
  principal: spot.principal && add(spot.principal),
  avgPurchasePrice: undefined,
});

/** A withdrawal ends a part of the cost which depends on its shares: cost and gain are uncertain until the position is read. */
const afterWithdrawal = (spot: Spot, add: AddChange): Spot => ({
  ...spot,
  availableToWithdraw: spot.availableToWithdraw.map(add).filter(({ value }) => BigInt(value) > 0n),
  principal: undefined,
  profit: undefined,
  realizedProfit: undefined,
  profitInUSD: undefined,
  profitUsd: undefined,
});
