import type { CustomerId } from '../../auth/principal';
import { limitError } from '../../errors/limit-error';
import { serviceError } from '../../errors/service-error';
import { formatUsd, ONE_DOLLAR, usdValue } from '../../money/usd';
import type { Transaction } from '../../persistence/database';
import { lendingProblemError, readingChain } from '../operations/lending-failure';
import type { Strategy } from '../strategy';
import type { OrderBounds } from './stock-services';
import type { StockVenue } from './stock-venue';

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

/**
 * The service pays for the gas of every funded order: those count, and those that may still be funded.
 *
 * @throws RATE_LIMIT_EXCEEDED
 */
export async function assertMayOrder(
  database: Pick<Transaction, '$queryRaw'>,
  customerId: CustomerId,
  { maxOpen: maximum }: OrderBounds,
): Promise<void> {
  const [{ open }] = await database.$queryRaw<[{ open: number }]>`
    SELECT count(*)::int AS open FROM (
      SELECT 1 FROM "StockOrder" AS own JOIN "Action" AS action ON action.id = own."actionId"
       WHERE own."customerId" = ${customerId}::uuid AND own.step <> 'ENDED'
         AND (own.step <> 'AWAITING_FUNDS' OR action.status IN ('INITIAL', 'PENDING'))
       LIMIT ${maximum}) AS counted`;
  if (open < maximum) return;
  const bound = `this customer has ${String(maximum)} orders that have not ended, the maximum`;
  throw limitError({ limit: 'openOrders', maximum, bound, retryAfter: 60 });
}

/** @throws LENDING_SERVICE_UNAVAILABLE when the gas of an order costs more now than the service pays, or is unknown */
export async function assertGasPaid(
  venue: Pick<StockVenue, 'orderGasObstacle'>,
  { chain }: Pick<Strategy, 'chain'>,
): Promise<void> {
  const obstacle = await readingChain(venue.orderGasObstacle(chain.chainId));
  if (obstacle === undefined) return;
  const reason = `${obstacle}: request the order later`;
  throw serviceError('LENDING_SERVICE_UNAVAILABLE', {}, { details: { reason } });
}
