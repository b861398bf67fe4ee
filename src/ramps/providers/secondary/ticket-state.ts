import { toBaseUnits } from '../../../money/base-units';
import type { TicketHolder, TicketState } from '../../ramp-provider';
import { rampFailure } from './failures';
import { apiPath, type SecondaryRampApi, transactionById } from './ramp-api';
import { readResponse, transactionResponse, unreadable, type ApiTransaction } from './api-schemas';
import { FIAT_DECIMALS, fromApiNumber, USDC_DECIMALS } from './api-amount';

interface TicketOfHolder {
  readonly ticketId: string;
  readonly holder: TicketHolder;
}

/** @throws SECONDARY_RAMP_API_ERROR, INVALID_SECONDARY_RAMP_TICKET */
export async function requestTicketState(
  api: SecondaryRampApi,
  ticket: TicketOfHolder,
  signal: AbortSignal,
): Promise<TicketState> {
  try {
    return verifiedState(ticket, await transactionById(api, ticket.ticketId, signal));
  } catch (error) {
    throw rampFailure('TICKET', error);
  }
}

/**
 * Cancels a transaction that awaits its deposit, and returns its state: `failed`. After the deposit the ramp refuses, and the
 * current state is returned.
 *
 * @throws SECONDARY_RAMP_API_ERROR, INVALID_SECONDARY_RAMP_TICKET; also when the outcome is unknown
 */
export async function cancelTicket(
  api: SecondaryRampApi,
  ticket: TicketOfHolder,
  signal: AbortSignal,
): Promise<TicketState> {
  const before = await requestTicketState(api, ticket, signal);
  if (before.status !== 'waitingForPayment') return before;
  try {
    const path = apiPath('transactions', ticket.ticketId);
    const response = await api.http.call({ method: 'PUT', path, body: { status: 'cancelled' }, signal });
    return verifiedState(ticket, readResponse(transactionResponse, response));
  } catch (error) {
    // The request was refused, or its response lost: the current state decides.
    const after = await requestTicketState(api, ticket, signal).catch(() => undefined);
    // Reports the failure of the cancellation, not of the read after it: the cancellation may still take effect.
    if (after === undefined || after.status === 'waitingForPayment') throw rampFailure('TICKET', error);
    return after;
  }
}

/** The state of a transaction. @throws UpstreamError for another transaction, or one of another customer */
function verifiedState({ ticketId, holder }: TicketOfHolder, found: ApiTransaction): TicketState {
  const isOther = found.customer_id !== undefined && found.customer_id !== holder.accountId;
  if (found.id !== ticketId || isOther) throw unreadable('its response is for another transaction');
  return stateOf(found, directionOf(found, holder));
}

type Direction = 'onRamp' | 'offRamp';

const directionOf = ({ type }: ApiTransaction, { request }: TicketHolder): Direction =>
  request?.route.direction ?? (type === 'off_ramp' ? 'offRamp' : 'onRamp');

function stateOf(found: ApiTransaction, direction: Direction): TicketState {
  switch (found.status) {
    case 'awaiting_deposit':
      return { status: 'waitingForPayment' };
    case 'processing':
      return { status: 'processing' };
    case 'completed':
      return completed(found, direction);
    case 'failed':
      return { status: 'refunding', reason: 'The ramp could not complete it' };
    case 'refunded':
      return { status: 'refunded', txHash: refundHash(found, direction), reason: 'The ramp could not complete it' };
    case 'cancelled':
      return { status: 'failed', reason: 'It was cancelled' };
    case 'error':
      return { status: 'failed', reason: 'The ramp has stopped it' };
  }
}

const completed = (found: ApiTransaction, direction: Direction): TicketState => ({
  status: 'completed',
  ...(direction === 'onRamp' ? onChainSettlement(found) : bankPayout(found)),
});

const onChainSettlement = ({ receiver, sender }: ApiTransaction) => ({
  txHash: parseTxHash(receiver?.tx_hash ?? receiver?.transaction_hash),
  endToEndId: sender?.pix_end_to_end_id,
  amountOut: readAmount(receiver?.amount, USDC_DECIMALS),
});

const bankPayout = ({ receiver, receipt }: ApiTransaction) => ({
  txHash: undefined,
  endToEndId: receiver?.pix_end_to_end_id,
  amountOut: readAmount(receipt?.final_fiat_amount ?? receiver?.amount, FIAT_DECIMALS),
});

/** The refund of an off-ramp is on chain, that of an on-ramp goes to a bank. */
const refundHash = ({ refund }: ApiTransaction, direction: Direction): string | undefined =>
  direction === 'offRamp' ? parseTxHash(refund?.tx_hash) : undefined;

const TX_HASH = /^0x[0-9a-f]{64}$/i;
const parseTxHash = (text: string | undefined): string | undefined =>
  text !== undefined && TX_HASH.test(text) ? text.toLowerCase() : undefined;

function readAmount(value: number | string | undefined, decimals: number) {
  if (value === undefined) return undefined;
  const amount = fromApiNumber(value, decimals);
  if (amount === undefined) throw unreadable('an amount is invalid');
  return toBaseUnits(amount);
}
