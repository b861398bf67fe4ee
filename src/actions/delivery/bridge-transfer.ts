import { invariant } from '../../errors/invariant-error';
import type { Shipment } from '../../venues/delivery-source';
import { findQuote, type FindQuoteDeps } from '../../quotes/find-quote';
import type { ClaimedDelivery } from './due-deliveries';
import { isExpiredPayout, isLatePayment } from './poll-task';
import type { Transfer } from './transfer-action';

/** What the provider is asked about: the transfer with the quote that was executed. */
export async function shipmentOf(
  deps: FindQuoteDeps,
  transfer: Transfer,
  { deposit, memory }: Pick<ClaimedDelivery, 'deposit' | 'memory'>,
): Promise<Shipment> {
  const { actionId, customerId, quoteId, refundAddress, origin } = transfer;
  invariant(quoteId, `the action ${actionId} is followed but came of no quote`);
  const { request, offer } = await findQuote(deps, { quoteId, customerId });
  return {
    actionId,
    request: refundAddress === undefined ? request : { ...request, refundAddress },
    quote: offer,
    sender: transfer.originAddress,
    recipient: transfer.receiverAddress,
    originTxHash: origin.txHash ?? undefined,
    originIsFinal: origin.status === 'CONFIRMED',
    deposit,
    memory,
    ...(isExpiredPayout(transfer) || isLatePayment(transfer) ? { isLate: true } : {}),
  };
}
