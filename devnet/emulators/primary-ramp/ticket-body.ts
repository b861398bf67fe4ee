import { shownQuote } from './pricing';
import type { StoredTicket } from './emulator-state';

/** A ticket as it is looked up: only the blocks of its rail. */
export function ticketBodyOf(ticket: StoredTicket): object {
  const { id, accountId, externalId, status, quote, createdAt, updatedAt, expiresAt } = ticket;
  const shown = { ...shownQuote(quote), quoteToken: undefined };
  const endToEnd = { endToEndId: ticket.endToEndId ?? '' };
  return {
    id,
    workspaceId: '',
    userId: accountId,
    externalId,
    status,
    reason: '',
    failureReason: '',
    createdAt,
    updatedAt,
    expiresAt,
    quote: { id: `quote-of-${id}`, ticketId: id, ...shown },
    ...(ticket.brCode === undefined
      ? {}
      : {
          brlPixInputInfo: { referenceLabel: '', additionalData: externalId, brCode: ticket.brCode },
          brazilianFiatSenderInfo: { name: '', taxId: '', ...endToEnd },
        }),
    ...(ticket.bankInstructions === undefined ? {} : { bankInstructions: ticket.bankInstructions }),
    ...(quote.outputPaymentMethod === 'PIX'
      ? { brazilianFiatReceiverInfo: { pixKey: ticket.pixKey ?? '', ...endToEnd } }
      : {}),
    ...(ticket.receiver === undefined
      ? {}
      : { blockchainReceiverInfo: { ...ticket.receiver, walletMemo: '', txHash: ticket.txHash ?? '' } }),
  };
}
