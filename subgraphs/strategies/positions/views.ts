import type { HistoryEntry, PositionHistory } from '../../../src/strategies/positions/position-history';
import type { ServedSnapshot } from '../../../src/snapshots/snapshot-section';
import type { EarnPositionView, PositionView } from '../../../src/strategies/positions/position-view';
import type { ShownEarn } from '../../../src/strategies/positions/earn-snapshots';
import type { EarnPosition, WalletEarn } from './earn-types';
import type { HistoricEntry, PositionHistoryPage } from './history-types';
import type { ProfitAndLoss, SpotPosition, StrategyPosition } from './types';

export const spotPositionOf = ({ spotPosition }: EarnPositionView): SpotPosition => spotPosition;

const profitAndLossOf = ({ spotPosition }: PositionView): ProfitAndLoss => {
  const { principal, netDeposits, currentPosition, profit, realizedProfit, cumulativeProfit } = spotPosition;
  return { principal, netDeposits, currentPosition, profit, realizedProfit, cumulativeProfit };
};

export const strategyPositionOf = (view: PositionView): StrategyPosition => ({
  spotPosition: spotPositionOf(view),
  profitAndLoss: profitAndLossOf(view),
});

const earnPositionOf = (view: EarnPositionView, wallet: string): EarnPosition => ({
  wallet,
  spotPosition: spotPositionOf(view),
  strategy: view.strategy,
});

export const walletEarnOf = ({ value, computedAt, isStale }: ServedSnapshot<ShownEarn>, wallet: string): WalletEarn => {
  const { positions, snapshot, ...earn } = isStale ? staleEarn(value) : value;
  return {
    ...earn,
    positions: positions.map((view) => earnPositionOf(view, wallet)),
    snapshot: { ...snapshot, computedAt },
  };
};

/** Reason of positions that are served while newer ones are read, or could not be read. */
const STALE = 'SNAPSHOT_STALE';

/** The last known positions: every value may have changed. A reason of a position of its own stays. */
const staleEarn = ({ positions, snapshot, staleness, ...earn }: ShownEarn): ShownEarn => ({
  ...earn,
  positions: positions.map(({ strategy, spotPosition: { staleReason = STALE, ...spot } }) => ({
    strategy,
    spotPosition: { ...spot, stale: true, staleReason },
  })),
  snapshot: { ...snapshot, state: 'computing', staleReason: STALE },
  staleness: { ...staleness, stalePositions: positions.length },
});

const HISTORIC_ACTIONS = {
  deposit: 'lend',
  withdrawal: 'withdraw',
  transferIn: 'transfer-in',
  transferOut: 'transfer-out',
} as const;

export const historicEntryOf = (
  { at, kind, amount, txHash, blockNumber, logIndex }: HistoryEntry,
  { wallet, strategyId }: { readonly wallet: string; readonly strategyId: string },
): HistoricEntry => ({
  action: HISTORIC_ACTIONS[kind],
  wallet,
  payload: {
    amount,
    amountBeforeFees: amount?.value,
    fromAddress: wallet,
    transactionHash: txHash,
    blockNumber,
    logIndex,
    strategyId,
  },
  source: 'chain',
  createdAt: at,
  updatedAt: at,
  deletedAt: undefined,
});

const CHANGE_TYPES = {
  deposit: 'DEPOSIT',
  withdrawal: 'WITHDRAW',
  transferIn: 'TRANSFER_IN',
  transferOut: 'TRANSFER_OUT',
} as const;

export const historyPageOf = ({
  data,
  pagination,
  stale,
}: PositionHistory & { readonly stale: boolean }): PositionHistoryPage => ({
  data: data.map(({ kind, ...entry }) => ({ ...entry, type: CHANGE_TYPES[kind] })),
  pagination,
  stale,
});
