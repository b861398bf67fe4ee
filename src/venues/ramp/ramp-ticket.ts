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

/** Parameters of a new ticket. */
export interface TicketParameters {
  readonly customerId: CustomerId;
  /** Request for a fresh quote with an account. */
  readonly quoteRequest: RampQuoteRequest;
  /** Minimum payout of the fresh quote. */
  readonly minAmountOut: BaseUnits;
  /** Maximum amount in; the exact amount when absent. */
  readonly maxAmountIn?: bigint | undefined;
  readonly ticket: Omit<TicketRequest, 'quote' | 'route' | 'minAmountOut'>;
}

/** Time during which the first request for the ticket may still complete. */
const PENDING_TIMEOUT_SECONDS = 15;
const POLL_INTERVAL_MS = 250;
/** Time after the expiry of its quote during which a lost request may still reach the ramp. */
const REQUEST_LIFETIME_MS = 60_000;

/**
 * Returns the ticket of an action, opened at the first call. The request is stored before the ramp is called. After a
 * lost response the ramp is queried for the ticket instead of a second request. A call with another payout or wallet is
 * rejected.
 *
 * @throws QUOTE_EXPIRED when the promise can no longer be kept, QUOTE_VALIDATION_ERROR; what the ramp's `openTicket`
 * throws
 */
export async function openTicketOnce(
  deps: TicketDeps,
  parameters: TicketParameters,
  signal: AbortSignal,
): Promise<Ticket> {
  const { tickets } = deps;
  const actionId = parameters.ticket.externalId;
  for (;;) {
    const stored = await tickets.find(actionId);
    if (stored === undefined) {
      const opened = await openTicket(deps, parameters, signal);
      if (opened !== undefined) return opened;
    } else if (!matchesTerms(stored, parameters)) {
      const reason = 'it was already executed by a request with another body';
      throw serviceError('QUOTE_VALIDATION_ERROR', { quoteId: `of the action ${actionId}`, reason });
    } else if (stored.ticket !== undefined) {
      return stored.ticket;
    } else if (stored.ageSeconds > PENDING_TIMEOUT_SECONDS) {
      const found = await recoverTicket(deps, stored, signal);
      if (found !== undefined) return found;
    }
    await delay(POLL_INTERVAL_MS, undefined, { signal });
  }
}

/** Hash of the source and the destination of the funds. */
const termsHash = ({
  account,
  walletAddress,
  refundAddress,
  payout,
  memo,
}: TicketParameters['ticket']): Buffer | undefined =>
  canonicalHash({ account, walletAddress, refundAddress, payout, memo });

/** True when a stored request has the same source and destination of the funds. */
const matchesTerms = ({ request }: StoredTicket, { ticket }: TicketParameters): boolean =>
  termsHash(request)?.equals(termsHash(ticket) ?? Buffer.alloc(0)) === true;

/** `undefined` when another process opens the ticket. */
async function openTicket(
  { ramp, tickets }: TicketDeps,
  { customerId, quoteRequest, minAmountOut, maxAmountIn = quoteRequest.amount, ticket: rest }: TicketParameters,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const quote = await ramp.quote(quoteRequest, signal);
  const isDearer = quoteRequest.side === 'out' && quote.amountIn > maxAmountIn;
  if (quote.amountOut < minAmountOut || isDearer) throw serviceError('QUOTE_EXPIRED');
  const request: TicketRequest = { ...rest, route: quoteRequest.route, quote, minAmountOut };
  const intent = await tickets.recordIntent({ customerId, ramp: ramp.id, request });
  if (intent === undefined) return undefined;
  try {
    const ticket = await ramp.openTicket(request, signal);
    return (await tickets.saveTicket(rest.externalId, intent, ticket)) ? ticket : undefined;
  } catch (error) {
    if (isRejection(error)) await tickets.withdraw(rest.externalId, intent);
    throw error;
  }
}

/** Errors that confirm that the ramp opened no ticket. */
const REJECTIONS =
  /^(?:QUOTE_EXPIRED|MISSING_PIX_KEY|INVALID_PIX_\w+|PIX_BRCODE_\w+|RAMP_\w+|AMOUNT_\w+|KYC_\w+|SECONDARY_RAMP_(?:NOT_CONFIGURED|KYC_\w+|USD_\w+))$/;

const isRejection = (error: unknown): boolean => isServiceError(error) && REJECTIONS.test(error.code);

/** Looks up the ticket of a request whose response was lost; `undefined` when it does not exist and no longer can. */
async function recoverTicket(
  { ramp, tickets }: TicketDeps,
  { intent, request }: StoredTicket,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const { externalId, quote } = request;
  const found = await ramp.findTicket(request, signal);
  if (found !== undefined) return (await tickets.saveTicket(externalId, intent, found)) ? found : undefined;
  if (Date.now() < quote.expiresAt.getTime() + REQUEST_LIFETIME_MS) {
    const reason = 'the ramp may not have received it. Retry in a minute, or request another quote';
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason });
  }
  await tickets.withdraw(externalId, intent);
  return undefined;
}
