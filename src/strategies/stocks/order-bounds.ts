import type { CustomerId } from '../../auth/principal';
import { limitError } from '../../errors/limit-error';
import { formatUsd, ONE_DOLLAR, usdValue } from '../../money/usd';
import type { Database } from '../../persistence/database';
import { lendingProblemError } from '../operations/lending-failure';
import type { Strategy } from '../strategy';
import type { OrderBounds } from './stock-services';

/** @throws LENDING_BAD_REQUEST when an order of this many dollars, in base units, is worth less than the gas it causes */
export function assertWorth(
  { minOrderUsd }: OrderBounds,
  { underlying }: Pick<Strategy, 'underlying'>,
  dollars: bigint,
): void {
  if (usdValue(dollars, underlying.decimals, ONE_DOLLAR) >= minOrderUsd) return;
  throw lendingProblemError({
    kind: 'TOO_SMALL',
    message: `an order is worth at least ${formatUsd(minOrderUsd)} US dollars`,
  });
}

/** The service pays for the gas of every funded order. @throws RATE_LIMIT_EXCEEDED */
export async function assertMayOrder(
  database: Pick<Database, '$transaction'>,
  customerId: CustomerId,
  { maxFunded: maximum }: OrderBounds,
): Promise<void> {
  const where = { customerId, step: { notIn: ['AWAITING_FUNDS', 'ENDED'] } };
  const funded = await database.$transaction((tx) => tx.stockOrder.count({ where, take: maximum }));
  if (funded < maximum) return;
  const bound = `this customer has ${String(maximum)} funded orders that have not ended, the maximum`;
  throw limitError({ limit: 'fundedOrders', maximum, bound, retryAfter: 60 });
}
