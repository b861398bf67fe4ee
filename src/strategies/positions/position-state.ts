import { divideUp } from '../../money/divide-up';
import { RAY } from '../../money/ray';
import type { PositionChangeKind } from '../protocols/protocol';

/** A base unit, in the unit in which costs are kept: rounding does not add up to a base unit within any history. */
export const COST_UNIT = 10n ** 18n;
/** Rounding of costs that is smaller than this is undone before they are rounded down to base units. */
export const COST_NOISE = 10n ** 6n;

/** What a wallet has paid for its shares in a strategy, at average cost. Amounts are base units of the underlying asset. */
export interface PositionState {
  readonly shares: bigint;
  /** Cost of the shares that are still held, in 10^-18 base units. */
  readonly cost: bigint;
  /** Deposits minus withdrawals. Negative when more was withdrawn than deposited. */
  readonly netPaidIn: bigint;
  /** Gains and losses on shares that were withdrawn, in 10^-18 base units. */
  readonly realized: bigint;
}

/** A movement of shares, and the assets that they were worth. */
export interface PositionMovement {
  readonly kind: PositionChangeKind;
  readonly shares: bigint;
  readonly assets: bigint;
}

export const NO_POSITION: PositionState = { shares: 0n, cost: 0n, netPaidIn: 0n, realized: 0n };

/** True for movements that add shares. */
export const isInflow = (kind: PositionChangeKind): boolean => kind === 'deposit' || kind === 'transferIn';

/** The state after a movement. A full exit ends the cost basis: later deposits start a new one. */
export function applyMovement(state: PositionState, { kind, shares, assets }: PositionMovement): PositionState {
  if (isInflow(kind)) {
    return {
      shares: state.shares + shares,
      cost: state.cost + assets * COST_UNIT,
      netPaidIn: state.netPaidIn + assets,
      realized: state.realized,
    };
  }
  const cost = costOf(state, shares);
  return {
    shares: shares < state.shares ? state.shares - shares : 0n,
    cost: state.cost - cost,
    netPaidIn: state.netPaidIn - assets,
    realized: state.realized + assets * COST_UNIT - cost,
  };
}

/** The position with a cost of at least `assets` base units. Of no effect without shares. */
export function raiseCost(state: PositionState, assets: bigint): PositionState {
  const minimum = assets * COST_UNIT;
  return state.shares === 0n || state.cost >= minimum ? state : { ...state, cost: minimum };
}

/** A fee on profit that was paid in shares. */
export interface ProfitPayment {
  readonly sharesTaken: bigint;
  /** Worth of these shares, in 10^-18 base units, rounded down. */
  readonly paid: bigint;
  /** The profit whose fee they are, in 10^-18 base units, rounded up. */
  readonly profit: bigint;
}

/** The payment of a fee of `bps` basis points of the profit, with shares at a price. */
export function profitPayment({
  sharesTaken,
  priceRay,
  bps,
}: {
  readonly sharesTaken: bigint;
  readonly priceRay: bigint;
  readonly bps: number;
}): ProfitPayment {
  const worth = sharesTaken * priceRay * COST_UNIT;
  return { sharesTaken, paid: worth / RAY, profit: divideUp(worth * 10_000n, RAY * BigInt(bps)) };
}

/**
 * The position after its shares have paid a fee: the profit that is not charged yet stays the same, without the charged one. Before,
 * the shares that were taken have left with their part of the cost.
 */
export function payFromPosition(state: PositionState, { sharesTaken, paid, profit }: ProfitPayment): PositionState {
  if (state.shares === 0n) return state;
  const costOfTaken = divideUp(state.cost * sharesTaken, state.shares);
  return { ...state, cost: state.cost + costOfTaken + profit - paid };
}

export const foldPosition = (movements: readonly PositionMovement[], before = NO_POSITION): PositionState =>
  movements.reduce(applyMovement, before);

/** Cost of some of the shares, in 10^-18 base units, rounded to the nearest; that of all when there are no more. */
export function costOf({ shares, cost }: PositionState, part: bigint): bigint {
  if (part >= shares) return cost;
  return (2n * cost * part + shares) / (2n * shares);
}

/** Cost of the shares that are still held, in base units, rounded down. */
export const principalOf = ({ cost }: PositionState): bigint => (cost + COST_NOISE) / COST_UNIT;

/** Gain on what is still held, when it is worth `value` base units. Negative for a loss. */
export const profitOf = (state: PositionState, value: bigint): bigint => value - principalOf(state);

/** Gain since the first deposit. Equals `profitOf` plus `realizedProfitOf`. */
export const cumulativeProfitOf = ({ netPaidIn }: PositionState, value: bigint): bigint => value - netPaidIn;

/** Gain on what was withdrawn, in base units. */
export const realizedProfitOf = (state: PositionState): bigint => principalOf(state) - state.netPaidIn;

/** Average price of one whole share in base units of the underlying asset, rounded down; 0 without shares. */
export function avgPurchasePriceOf(state: PositionState, shareDecimals: number): bigint {
  if (state.shares === 0n) return 0n;
  return ((state.cost + COST_NOISE) * 10n ** BigInt(shareDecimals)) / (state.shares * COST_UNIT);
}
