import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error';
import type { Control } from './control';
import { isFiat, MICRO, parseMicro } from './micro-amount';
import { balanceOf, newTicket, type TicketServiceDeps } from './new-ticket';
import type { PricedQuote } from './pricing';
import { ticketBodyOf } from './ticket-body';
import { book, type StoredTicket, type SubAccount, type TicketStatus } from './emulator-state';

/** Opens tickets and lives their life. */
export interface TicketService {
  open(account: SubAccount, body: unknown): Promise<StoredTicket>;
  /** Millionths that a person has, in the wallet and in the books. */
  balanceOf(account: SubAccount, currency: string): Promise<bigint>;
  /** The payment of a ticket comes in. @throws ApiError when it is not waited for */
  pay(id: string): void;
  cancel(id: string): void;
  stop(): void;
}

const SANDBOX_CAP = 1000n * MICRO;
export function openTicketService(parts: TicketServiceDeps): TicketService {
  const { state } = parts;
  const life = startLife(parts);
  let queue: Promise<unknown> = Promise.resolve();
  const open = async (account: SubAccount, body: unknown): Promise<StoredTicket> => {
    const ticket = await newTicket(parts, account, body);
    state.tickets.push(ticket);
    life.move(ticket, ticket.status, 'TICKET-CREATED');
    life.goOn(ticket);
    return ticket;
  };
  const unpaid = (id: string): StoredTicket => {
    const ticket = state.tickets.find((candidate) => candidate.id === id);
    if (ticket?.status !== 'UNPAID') throw new ApiError(400, 'no such unpaid ticket');
    return ticket;
  };
  state.tickets.forEach(life.goOn);
  return {
    // One after the other: what is in the account is spent once.
    open(account, body) {
      const opened = queue.then(() => open(account, body));
      queue = opened.catch(() => undefined);
      return opened;
    },
    balanceOf: (account, currency) => balanceOf(parts, account, currency),
    pay: (id) => life.receive(unpaid(id)),
    cancel: (id) => life.move(unpaid(id), 'CANCELED', 'TICKET-CANCELED'),
    stop: life.stop,
  };
}

/** What happens to tickets as time goes by. */
interface Life {
  readonly move: (ticket: StoredTicket, status: TicketStatus, type: string) => void;
  /** The payment has come in. */
  readonly receive: (ticket: StoredTicket) => void;
  /** Takes a ticket up where it is. */
  readonly goOn: (ticket: StoredTicket) => void;
  readonly stop: () => void;
}

function startLife(parts: TicketServiceDeps): Life {
  const { state, control } = parts;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, step: () => void): void => {
    const timer = setTimeout(() => {
      if (timers.delete(timer)) step();
    }, ms);
    timers.add(timer);
  };
  const move: Life['move'] = (ticket, status, type) => {
    Object.assign(ticket, { status, updatedAt: new Date().toISOString() });
    state.save();
    const data = { ticket: ticketBodyOf(ticket) };
    parts.callbacks.send({ subAccountId: ticket.accountId, subscription: 'TICKET', type, data });
  };
  const accountOf = ({ accountId }: StoredTicket): SubAccount | undefined =>
    state.accounts.find(({ id }) => id === accountId);
  const settle = async (ticket: StoredTicket): Promise<void> => {
    const account = accountOf(ticket);
    const mode = payoutMode(control, { ticket, isRefused: account?.refused === true });
    if (mode === 'hang') {
      later(control.stepMs + 100, () => void settle(ticket));
      return;
    }
    const paid = mode === 'pay' && (await payOut(parts, ticket).catch(failedWith(parts.log)));
    if (!paid) refundAccount(parts, ticket);
    move(ticket, paid ? 'PAID' : 'FAILED', paid ? 'TICKET-COMPLETE' : 'DELIVERY-FAILED');
  };
  const receive: Life['receive'] = (ticket) => {
    if (isFiat(ticket.quote.inputCurrency)) ticket.endToEndId = endToEndId();
    move(ticket, 'PROCESSING', 'DEPOSIT-SUCCESS');
    later(control.stepMs, () => void settle(ticket));
  };
  const expireLater = (ticket: StoredTicket): void =>
    later(Math.max(0, Date.parse(ticket.expiresAt) - Date.now()), () => {
      if (ticket.status === 'UNPAID') move(ticket, 'CANCELED', 'TICKET-CANCELED');
    });
  const goOn: Life['goOn'] = (ticket) => {
    if (ticket.status === 'PENDING') {
      receive(ticket);
      return;
    }
    if (ticket.status === 'PROCESSING') later(control.stepMs, () => void settle(ticket));
    if (ticket.status === 'UNPAID') expireLater(ticket);
    if (ticket.status !== 'UNPAID' || control.autoPayMs === null || isCapped(control, ticket.quote)) return;
    later(control.autoPayMs, () => {
      const { name = '' } = accountOf(ticket) ?? {};
      if (ticket.status === 'UNPAID' && !control.heldAccounts.includes(name)) receive(ticket);
    });
  };
  const stop = (): void => {
    timers.forEach((timer) => clearTimeout(timer));
    timers.clear();
  };
  return { move, receive, goOn, stop };
}

interface TicketToSettle {
  readonly ticket: StoredTicket;
  /** True when payouts of the account fail. */
  readonly isRefused: boolean;
}

function payoutMode(
  { payouts, refusedPixKeys }: Control,
  { ticket: { quote, pixKey = '' }, isRefused }: TicketToSettle,
): Control['payouts'] {
  if (!isFiat(quote.outputCurrency)) return 'pay';
  return isRefused || refusedPixKeys.includes(pixKey) ? 'fail' : payouts;
}

const isCapped = (control: Control, { inputAmount }: PricedQuote): boolean =>
  control.sandboxCap && parseMicro(inputAmount, 'inputAmount') > SANDBOX_CAP;

const failedWith =
  (log: (line: string) => void) =>
  (error: unknown): false => {
    log(`a payout failed: ${String(error)}`);
    return false;
  };

/** Settles a ticket. False when the chain or the recipient is missing. */
async function payOut({ chains }: TicketServiceDeps, ticket: StoredTicket): Promise<boolean> {
  const { quote, receiver } = ticket;
  if (isFiat(quote.outputCurrency)) {
    ticket.endToEndId = endToEndId();
    return true;
  }
  const chain = chains.get(quote.outputPaymentMethod);
  if (receiver === undefined || chain === undefined) return false;
  const amount = parseMicro(quote.outputAmount, 'outputAmount');
  ticket.txHash = await chain.pay(quote.outputCurrency, receiver.walletAddress, amount);
  return true;
}

/** Credits the debited amount to the person's account. */
function refundAccount({ state }: TicketServiceDeps, { accountId, quote }: StoredTicket): void {
  const account = state.accounts.find(({ id }) => id === accountId);
  if (account === undefined || quote.inputPaymentMethod !== 'INTERNAL') return;
  book(account, quote.inputCurrency, parseMicro(quote.inputAmount, 'inputAmount'));
}

/** `E`, the bank, the minute, and eleven random characters. */
function endToEndId(): string {
  const minute = new Date().toISOString().replaceAll(/[-T:]/g, '').slice(0, 12);
  return `E39416705${minute}${randomBytes(6).toString('hex').slice(0, 11)}`;
}
