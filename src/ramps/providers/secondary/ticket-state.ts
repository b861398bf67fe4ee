import { toBaseUnits } from '../../../money/base-units';
import type { TicketHolder, TicketState } from '../../ramp-provider';
import { failureOf } from './failures';
import { type SecondaryRampApi, transactionById } from './ramp-api';
import { unreadable, type WireTransaction } from './wire';
import { FIAT_DECIMALS, fromWireNumber, USDC_DECIMALS } from './wire-amount';

/** @throws SECONDARY_RAMP_API_ERROR, INVALID_SECONDARY_RAMP_TICKET */
export async function ticketStateOf(
  api: SecondaryRampApi,
  { ticketId, holder }: { readonly ticketId: string; readonly holder: TicketHolder },
  signal: AbortSignal,
): Promise<TicketState> {
  try {
    const found = await transactionById(api, ticketId, signal);
    const isOther = found.customer_id !== undefined && found.customer_id !== holder.accountId;
    if (found.id !== ticketId || isOther) throw unreadable('it answered with another transaction');
    return stateOf(found, directionOf(found, holder));
  } catch (error) {
    throw failureOf('TICKET', error);
  }
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
      return { status: 'refunding', reason: 'The ramp could not carry it out' };
    case 'refunded':
      return { status: 'refunded', txHash: refundHash(found, direction), reason: 'The ramp could not carry it out' };
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
  if (amount === undefined) throw unreadable('an amount is none');
  return toBaseUnits(amount);
}
