import { invariant } from '../../errors/invariant-error';
import { findQuote, type FindQuoteDeps } from '../../quotes/find-quote';
import type { BridgeTransfer } from '../../venues/delivery-source';
import type { ClaimedDelivery } from './claim-deliveries';
import { isExpiredPayout, isLatePayment } from './poll-task';
import type { TransferAction } from './transfer-action';

/** Reads the quote that was executed and builds the transfer that is passed to the provider. */
export async function readBridgeTransfer(
  deps: FindQuoteDeps,
  transfer: TransferAction,
  { deposit, checkpoint }: Pick<ClaimedDelivery, 'deposit' | 'checkpoint'>,
): Promise<BridgeTransfer> {
  const { actionId, customerId, quoteId, refundAddress, origin } = transfer;
  invariant(quoteId, `the action ${actionId} has a delivery but no quote`);
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
    checkpoint,
    ...(isExpiredPayout(transfer) || isLatePayment(transfer) ? { isExpired: true } : {}),
  };
}
