import { isServiceError, serviceError } from '../../errors/service-error';
import { slugOf } from '../catalog/merge-rows';
import { readFeePositions } from '../fees/fee-positions';
import { profitFees, type ValuedPosition } from '../fees/profit-fees';
import type { HistoryProblem } from '../positions/check-history';
import type { PositionOwner } from '../positions/position-store';
import { type PositionReading, readPosition } from '../positions/read-positions';
import {
  forgetUnread,
  MAX_WAIT_SECONDS,
  noteRead,
  noteUnread,
  type OwnedPosition,
} from '../positions/unread-positions';
import type { Preview } from '../protocols/protocol';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import type { OperationDeps } from './operation-deps';
import { logWaiver } from './payable-fees';
import type { Charge, ChargedFee, FeeWaiver, Withdrawal } from './resolved-operation';

type ChargeDeps = Pick<OperationDeps, 'positions'>;

/**
 * The fees on the gain of a withdrawal. While the history of the position is being read, or contradicts the chain, as it does
 * for seconds when a node lags behind, the withdrawal is refused for ten minutes, or twice that when the history was read
 * meanwhile. Without a complete history that agrees with the chain it costs nothing: a gain is never guessed, and the service
 * does not keep a wallet from its deposit.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE
 */
export async function chargeProfit(deps: ChargeDeps, withdrawal: Withdrawal, preview: Preview): Promise<Charge> {
  const own = withdrawal.fees.of(withdrawal.strategy);
  if (profitBpsOf(own) === 0 || own.collector === undefined) return { fees: [], waiver: undefined };
  const position = await readChargedPosition(deps, withdrawal);
  if (typeof position === 'string') {
    logWaiver(deps, withdrawal, { waiver: position });
    return { fees: [], waiver: position };
  }
  const { assets, shares } = preview;
  return { fees: feesOn({ position, assets, shares }, own, own.collector), waiver: undefined };
}

function feesOn(
  withdrawn: Parameters<typeof profitFees>[0],
  fees: StrategyFees,
  collector: string,
): readonly ChargedFee[] {
  const { performance, markup } = profitFees(withdrawn, fees);
  return [
    { kind: 'performance' as const, amount: performance, recipient: collector },
    { kind: 'markup' as const, amount: markup, recipient: fees.markupRecipient ?? collector },
  ].filter(({ amount }) => amount > 0n);
}

/** Problems that end by themselves as a rule. */
const PASSING: ReadonlySet<HistoryProblem> = new Set(['HISTORY_INCOMPLETE', 'HISTORY_CONTRADICTED']);

/** The position with the costs from which profit is charged, or why it is not charged. */
async function readChargedPosition(
  { positions }: ChargeDeps,
  { strategy, fees, customerId, request, signal }: Withdrawal,
): Promise<ValuedPosition | FeeWaiver> {
  const owner: PositionOwner = { customerId, wallet: request.wallet };
  const place = { owner, strategyId: slugOf(strategy.row.id) };
  const reading = await readAvailable(positions, { owner, strategy, signal });
  const problem = reading?.problem;
  if (problem !== undefined && !PASSING.has(problem)) return problem;
  const readings = reading === undefined ? [] : [reading];
  const [state] = await readFeePositions(positions, { owner, readings, fees });
  if (reading !== undefined && state !== undefined) {
    await forgetUnread(positions.database, place);
    return { state, value: reading.holding.value };
  }
  if (await hasWaited(positions, place, reading)) return problem ?? 'HISTORY_INCOMPLETE';
  throw unreadHistory();
}

/** True when the history could not be read for so long that the withdrawal goes on without it. */
async function hasWaited(
  { database }: ChargeDeps['positions'],
  place: OwnedPosition,
  reading: PositionReading | undefined,
): Promise<boolean> {
  if (reading?.state !== undefined) await noteRead(database, place.owner, [place.strategyId]);
  return noteUnread(database, place);
}

/** `undefined` when the holding could not be read, although the withdrawal could be previewed. */
async function readAvailable(
  positions: ChargeDeps['positions'],
  request: Parameters<typeof readPosition>[1],
): Promise<PositionReading | undefined> {
  try {
    return await readPosition(positions, request);
  } catch (error) {
    if (isServiceError(error) && error.code === 'LENDING_SERVICE_UNAVAILABLE') return undefined;
    throw error;
  }
}

const unreadHistory = () => {
  const minutes = (MAX_WAIT_SECONDS / 60).toString();
  const reason = `the history of the position is being read, on which the fee on its profit depends: retry, the withdrawal is free of it after ${minutes} minutes`;
  return serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason } });
};
