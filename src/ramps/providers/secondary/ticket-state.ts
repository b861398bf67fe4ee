import { toBaseUnits } from '../../../money/base-units';
import type { TicketHolder, TicketState } from '../../ramp-provider';
import { rampFailure } from './failures';
import { apiPath, type SecondaryRampApi, transactionById } from './ramp-api';
import { readResponse, transactionResponse, unreadable, type WireTransaction } from './wire';
import { FIAT_DECIMALS, fromWireNumber, USDC_DECIMALS } from './wire-amount';

interface HeldTicket {
  readonly ticketId: string;
  readonly holder: TicketHolder;
}

/** @throws SECONDARY_RAMP_API_ERROR, INVALID_SECONDARY_RAMP_TICKET */
export async function requestTicketState(
  api: SecondaryRampApi,
  held: HeldTicket,
  signal: AbortSignal,
): Promise<TicketState> {
  try {
    return toldOf(held, await transactionById(api, held.ticketId, signal));
  } catch (error) {
    throw rampFailure('TICKET', error);
  }
}

/**
 * Cancels what waits for its deposit: `failed`. When the deposit has come the ramp refuses; then, how far it is.
 *
 * @throws SECONDARY_RAMP_API_ERROR, INVALID_SECONDARY_RAMP_TICKET; also when it is not known whether it is cancelled
 */
export async function cancelTicket(api: SecondaryRampApi, held: HeldTicket, signal: AbortSignal): Promise<TicketState> {
  const before = await requestTicketState(api, held, signal);
  if (before.status !== 'waitingForPayment') return before;
  try {
    const path = apiPath('transactions', held.ticketId);
    const answer = await api.http.call({ method: 'PUT', path, body: { status: 'cancelled' }, signal });
    return toldOf(held, readResponse(transactionResponse, answer));
  } catch (error) {
    // Refused, or the answer was lost: what counts is where it stands now.
    const after = await requestTicketState(api, held, signal);
    if (after.status === 'waitingForPayment') throw rampFailure('TICKET', error);
    return after;
  }
}

/** @throws UpstreamError when it is another one's */
function toldOf({ ticketId, holder }: HeldTicket, found: WireTransaction): TicketState {
  const isOther = found.customer_id !== undefined && found.customer_id !== holder.accountId;
  if (found.id !== ticketId || isOther) throw unreadable('its response is for another transaction');
  return stateOf(found, directionOf(found, holder));
}

type Direction = 'onRamp' | 'offRamp';

const directionOf = ({ type }: WireTransaction, { request }: TicketHolder): Direction =>
  request?.route.direction ?? (type === 'off_ramp' ? 'offRamp' : 'onRamp');

function stateOf(found: WireTransaction, direction: Direction): TicketState {
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

const completed = (found: WireTransaction, direction: Direction): TicketState => ({
  status: 'completed',
  ...(direction === 'onRamp' ? paidOnChain(found) : paidToBank(found)),
});

const paidOnChain = ({ receiver, sender }: WireTransaction) => ({
  txHash: hashOf(receiver?.tx_hash ?? receiver?.transaction_hash),
  endToEndId: sender?.pix_end_to_end_id,
  amountOut: amountOf(receiver?.amount, USDC_DECIMALS),
});

const paidToBank = ({ receiver, receipt }: WireTransaction) => ({
  txHash: undefined,
  endToEndId: receiver?.pix_end_to_end_id,
  amountOut: amountOf(receipt?.final_fiat_amount ?? receiver?.amount, FIAT_DECIMALS),
});

/** What an off-ramp gives back is on chain, what an on-ramp gives back is not. */
const refundHash = ({ refund }: WireTransaction, direction: Direction): string | undefined =>
  direction === 'offRamp' ? hashOf(refund?.tx_hash) : undefined;

const TX_HASH = /^0x[0-9a-f]{64}$/i;
const hashOf = (text: string | undefined): string | undefined =>
  text !== undefined && TX_HASH.test(text) ? text.toLowerCase() : undefined;

function amountOf(value: number | string | undefined, decimals: number) {
  if (value === undefined) return undefined;
  const amount = fromWireNumber(value, decimals);
  if (amount === undefined) throw unreadable('an amount is invalid');
  return toBaseUnits(amount);
}
