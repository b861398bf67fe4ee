import { setTimeout as delay } from 'node:timers/promises';
import type { CustomerId } from '../../auth/principal';
import { isServiceError, serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import type { RampProvider, RampQuoteRequest, Ticket, TicketRequest } from '../../ramps/ramp-provider';
import type { StoredTicket, TicketStore } from '../../ramps/ticket-store';
import { canonicalHash } from '../../persistence/canonical-hash';

export interface TicketDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
}

/** What a ticket is to be opened for. */
export interface TicketOrder {
  readonly customerId: CustomerId;
  /** What the ramp is asked for a price of, once more, with an account. */
  readonly question: RampQuoteRequest;
  /** What has to come out at least: else the promise is not kept. */
  readonly least: BaseUnits;
  /** What goes in at most; of an exact amount in, as much as that. */
  readonly most?: bigint | undefined;
  readonly ticket: Omit<TicketRequest, 'quote' | 'route' | 'least'>;
}

/** While the answer to another caller may still come, it is waited for. */
const PATIENCE_SECONDS = 15;
const LOOK_AGAIN_MS = 250;
/** After the end of a quote, nobody can hear a request any more that was made with it. */
const HEARD_FOR_MS = 60_000;

/**
 * The ticket of an action, opened at the first call and the same ever after. What is asked for is noted first: a ramp is
 * asked once, and when its answer was lost, it is asked whether it heard. Who asks for another payout, or another wallet,
 * than the ticket was opened for is refused, whatever became of the first request.
 *
 * @throws QUOTE_EXPIRED when the promise can no longer be kept, QUOTE_VALIDATION_ERROR; what the ramp's `openTicket` throws
 */
export async function ticketOf(deps: TicketDeps, order: TicketOrder, signal: AbortSignal): Promise<Ticket> {
  const { tickets } = deps;
  const actionId = order.ticket.externalId;
  for (;;) {
    const known = await tickets.find(actionId);
    if (known === undefined) {
      const opened = await openNow(deps, order, signal);
      if (opened !== undefined) return opened;
    } else if (!isFor(known, order)) {
      const reason = 'it was made executable by a request with another body';
      throw serviceError('QUOTE_VALIDATION_ERROR', { quoteId: `of the action ${actionId}`, reason });
    } else if (known.ticket !== undefined) {
      return known.ticket;
    } else if (known.ageSeconds > PATIENCE_SECONDS) {
      const found = await lookFor(deps, known, signal);
      if (found !== undefined) return found;
    }
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** What decides where the money of a ticket comes from and goes to. */
const endsOf = ({ account, walletAddress, refundAddress, payout, memo }: TicketOrder['ticket']): Buffer | undefined =>
  canonicalHash({ account, walletAddress, refundAddress, payout, memo });

/** True when what was asked of the ramp is what is asked for now. */
const isFor = ({ request }: StoredTicket, { ticket }: TicketOrder): boolean =>
  endsOf(request)?.equals(endsOf(ticket) ?? Buffer.alloc(0)) === true;

/** `undefined` when somebody else was first. */
async function openNow(
  { ramp, tickets }: TicketDeps,
  { customerId, question, least, most = question.amount, ticket: rest }: TicketOrder,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const quote = await ramp.quote(question, signal);
  const isDearer = question.side === 'out' && quote.amountIn > most;
  if (quote.amountOut < least || isDearer) throw serviceError('QUOTE_EXPIRED');
  const request: TicketRequest = { ...rest, route: question.route, quote, least };
  const intent = await tickets.intend({ customerId, ramp: ramp.id, request });
  if (intent === undefined) return undefined;
  try {
    const ticket = await ramp.openTicket(request, signal);
    return (await tickets.keep(rest.externalId, intent, ticket)) ? ticket : undefined;
  } catch (error) {
    if (isRefusal(error)) await tickets.withdraw(rest.externalId, intent);
    throw error;
  }
}

/** Codes by which a ramp says that it heard, and opened nothing. */
const REFUSALS =
  /^(?:QUOTE_EXPIRED|MISSING_PIX_KEY|INVALID_PIX_\w+|PIX_BRCODE_\w+|RAMP_\w+|AMOUNT_\w+|KYC_\w+|SECONDARY_RAMP_(?:NOT_CONFIGURED|KYC_\w+|USD_\w+))$/;

const isRefusal = (error: unknown): boolean => isServiceError(error) && REFUSALS.test(error.code);

/** Whether the ramp heard a request whose answer was lost; `undefined` when it did not, and cannot any more. */
async function lookFor(
  { ramp, tickets }: TicketDeps,
  { intent, request }: StoredTicket,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const { externalId, quote } = request;
  const found = await ramp.findTicket(request, signal);
  if (found !== undefined) return (await tickets.keep(externalId, intent, found)) ? found : undefined;
  if (Date.now() < quote.expiresAt.getTime() + HEARD_FOR_MS) {
    const reason = 'it is not known yet whether the ramp heard of it: ask again in a minute, or for another quote';
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason });
  }
  await tickets.withdraw(externalId, intent);
  return undefined;
}
