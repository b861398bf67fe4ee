import { readFeePositions } from '../fees/fee-positions';
import { profitFees } from '../fees/profit-fees';
import { serviceError } from '../../errors/service-error';
import { readPosition } from '../positions/read-positions';
import type { Preview } from '../protocols/protocol';
import { profitBpsOf, type StrategyFees } from '../strategy-fees';
import type { OperationDeps } from './operation-deps';
import type { ChargedFee, Withdrawal } from './resolved-operation';

/**
 * The fees on the gain of a withdrawal. While the history of the position is being read, the withdrawal is refused: it is
 * possible a moment later. A history that can never be complete, or contradicts the chain, costs nothing: a gain is never
 * guessed, and the service does not keep a wallet from its deposit.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE
 */
export async function chargeProfit(
  { positions }: Pick<OperationDeps, 'positions'>,
  withdrawal: Withdrawal,
  preview: Preview,
): Promise<readonly ChargedFee[]> {
  const { strategy, fees, customerId, request, signal } = withdrawal;
  const own = fees.of(strategy);
  if (profitBpsOf(own) === 0 || own.collector === undefined) return [];
  const owner = { customerId, wallet: request.wallet };
  const reading = await readPosition(positions, { owner, strategy, signal });
  if (reading.problem === 'HISTORY_INCOMPLETE') throw unreadHistory();
  const [state] = await readFeePositions(positions, { owner, readings: [reading], fees });
  if (reading.state === undefined) return [];
  // Another request stored entries of the position meanwhile.
  if (state === undefined) throw unreadHistory();
  const position = { state, value: reading.holding.value };
  const { assets, shares } = preview;
  const { performance, markup } = profitFees({ position, assets, shares }, own);
  return [
    { kind: 'performance' as const, amount: performance, recipient: own.collector },
    { kind: 'markup' as const, amount: markup, recipient: markupRecipientOf(own, own.collector) },
  ].filter(({ amount }) => amount > 0n);
}

const markupRecipientOf = ({ markupRecipient }: StrategyFees, collector: string): string =>
  markupRecipient ?? collector;

const unreadHistory = () =>
  serviceError(
    'LENDING_SERVICE_UNAVAILABLE',
    {},
    { details: { reason: 'the history of the position is being read, on which the fee on its profit depends' } },
  );
