import { randomBytes, randomUUID } from 'node:crypto';
import { type Address, isAddress } from 'viem';
import { z } from 'zod';
import { ApiError, invalidField } from './api-error';
import { brCodeOf } from './br-code';
import type { Callbacks } from './callbacks';
import type { Control } from './control';
import { isFiat, MICRO, parseMicro } from './micro-amount';
import type { PayingChain } from './paying-chain';
import type { PricedQuote, QuoteDesk } from './pricing';
import { book, type StoredTicket, type SubAccount, type TicketStatus, walletOf, type World } from './world';

export interface TicketDeskParts {
  readonly world: World;
  readonly control: Control;
  readonly desk: QuoteDesk;
  readonly callbacks: Callbacks;
  /** By their name at the ramp. */
  readonly chains: ReadonlyMap<string, PayingChain>;
  readonly log: (line: string) => void;
}

/** Opens tickets and lives their life. */
export interface TicketDesk {
  open(account: SubAccount, body: unknown): Promise<StoredTicket>;
  /** Millionths that a person has, in the wallet and in the books. */
  balanceOf(account: SubAccount, currency: string): Promise<bigint>;
  /** The payment of a ticket comes in. @throws ApiError when it is not waited for */
  pay(id: string): void;
  cancel(id: string): void;
  stop(): void;
}

const beneficiary = z.object({ beneficiaryUsdBankAccountId: z.string() });
const ticketBody = z.object({
  quoteToken: z.string(),
  externalId: z.string().max(100).default(''),
  customDuration: z.int().min(1).max(259_200).default(1800),
  ticketBrlPixInput: z.object({ additionalData: z.string().optional() }).optional(),
  ticketUsdWireInput: z.object({}).optional(),
  ticketUsdInput: z.object({}).optional(),
  ticketBlockchainOutput: z.object({ walletChain: z.string(), walletAddress: z.string() }).optional(),
  ticketBrlPixOutput: z.object({ pixKey: z.string().min(1).optional() }).optional(),
  ticketUsdOutput: beneficiary.optional(),
  ticketUsdWireOutput: beneficiary.optional(),
});
type TicketBody = z.output<typeof ticketBody>;

const SANDBOX_CAP = 1000n * MICRO;
const PIX_KEY = '7d9f0335-8dcc-4054-9bf9-0dbd61d36906';

export function openTicketDesk(parts: TicketDeskParts): TicketDesk {
  const { world, control, desk } = parts;
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  let queue: Promise<unknown> = Promise.resolve();
  const later = (ms: number, step: () => unknown): void => {
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      step();
    }, ms);
    timers.add(timer);
  };
  const move = (ticket: StoredTicket, status: TicketStatus, type: string): void => {
    Object.assign(ticket, { status, updatedAt: new Date().toISOString() });
    world.save();
    const data = { ticket: ticketBodyOf(ticket) };
    parts.callbacks.tell({ subAccountId: ticket.accountId, subscription: 'TICKET', type, data });
  };
  const settle = async (ticket: StoredTicket): Promise<void> => {
    const verdict = isFiat(ticket.quote.outputCurrency) ? control.payouts : 'pay';
    if (verdict === 'hang') return later(control.stepMs + 100, () => void settle(ticket));
    const paid = verdict === 'pay' && (await payOut(parts, ticket).catch(failedWith(parts.log)));
    if (!paid) giveBack(parts, ticket);
    move(ticket, paid ? 'PAID' : 'FAILED', paid ? 'TICKET-COMPLETE' : 'DELIVERY-FAILED');
  };
  const received = (ticket: StoredTicket): void => {
    move(ticket, 'PROCESSING', 'DEPOSIT-SUCCESS');
    later(control.stepMs, () => void settle(ticket));
  };
  const pay = (id: string): void => {
    const ticket = world.tickets.find((candidate) => candidate.id === id);
    if (ticket?.status !== 'UNPAID') throw new ApiError(404, 'no such unpaid ticket');
    ticket.endToEndId = endToEndId();
    received(ticket);
  };
  const begin = (ticket: StoredTicket): void => {
    if (!isFiat(ticket.quote.inputCurrency)) return received(ticket);
    if (control.autoPayMs === null || isCapped(control, ticket.quote)) return;
    later(control.autoPayMs, () => {
      if (ticket.status === 'UNPAID') pay(ticket.id);
    });
  };
  const open = async (account: SubAccount, body: unknown): Promise<StoredTicket> => {
    const ticket = await newTicket(parts, account, readBody(body));
    world.tickets.push(ticket);
    move(ticket, ticket.status, 'TICKET-CREATED');
    begin(ticket);
    return ticket;
  };
  for (const ticket of world.tickets) {
    if (ticket.status === 'UNPAID') begin(ticket);
    else if (ticket.status === 'PROCESSING') later(control.stepMs, () => void settle(ticket));
  }
  return {
    // One after the other: what is in the account is spent once.
    open(account, body) {
      const opened = queue.then(() => open(account, body));
      queue = opened.catch(() => undefined);
      return opened;
    },
    balanceOf: (account, currency) => balanceOf(parts, account, currency),
    pay,
    cancel(id) {
      const ticket = world.tickets.find((candidate) => candidate.id === id);
      if (ticket?.status !== 'UNPAID') throw new ApiError(400, 'ticket cannot be canceled');
      move(ticket, 'CANCELED', 'TICKET-CANCELED');
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function readBody(body: unknown): TicketBody {
  const parsed = ticketBody.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidField(parsed.error.issues[0]?.path.join('.') ?? 'body');
}

const isCapped = (control: Control, { inputAmount }: PricedQuote): boolean =>
  control.sandboxCap && parseMicro(inputAmount, 'inputAmount') > SANDBOX_CAP;

const failedWith =
  (log: (line: string) => void) =>
  (error: unknown): false => {
    log(`the ramp could not pay out: ${String(error)}`);
    return false;
  };

async function balanceOf({ chains }: TicketDeskParts, account: SubAccount, currency: string): Promise<bigint> {
  const held = await Promise.all([...chains.values()].map((chain) => chain.balanceOf(currency, walletOf(account))));
  return held.reduce((sum, each) => sum + each, BigInt(account.booked[currency] ?? '0'));
}

async function newTicket(parts: TicketDeskParts, account: SubAccount, body: TicketBody): Promise<StoredTicket> {
  const quote = parts.desk.redeem(body.quoteToken);
  if (quote.accountId !== account.id) throw new ApiError(404, 'quote of another account');
  if (!account.confirmed) throw new ApiError(403, 'account is not identified');
  const ends = { ...inputOf(quote, body), ...outputOf({ account, quote, parts }, body) };
  useLimit(parts.control, account, quote);
  if (quote.inputPaymentMethod === 'INTERNAL') {
    const amount = parseMicro(quote.inputAmount, 'inputAmount');
    if ((await balanceOf(parts, account, quote.inputCurrency)) < amount)
      throw new ApiError(400, 'insufficient balance');
    book(account, quote.inputCurrency, -amount);
  }
  const now = new Date();
  return {
    ...{ id: randomUUID(), accountId: account.id, externalId: body.externalId, quote },
    ...{ status: isFiat(quote.inputCurrency) ? 'UNPAID' : 'PENDING' },
    ...{ createdAt: now.toISOString(), updatedAt: now.toISOString() },
    expiresAt: new Date(now.getTime() + body.customDuration * 1000).toISOString(),
    ...ends,
  };
}

function inputOf(quote: PricedQuote, body: TicketBody): Partial<StoredTicket> {
  switch (quote.inputPaymentMethod) {
    case 'PIX': {
      if (body.ticketBrlPixInput === undefined) throw invalidField('ticketBrlPixInput');
      const transactionId = randomUUID().replaceAll('-', '').slice(0, 25);
      return { brCode: brCodeOf({ pixKey: PIX_KEY, amount: quote.inputAmount, transactionId }) };
    }
    case 'WIRE':
    case 'ACH': {
      const isAsked = quote.inputPaymentMethod === 'WIRE' ? body.ticketUsdWireInput : body.ticketUsdInput;
      if (isAsked === undefined) throw invalidField('ticketUsdWireInput');
      return { bankInstructions: bankInstructions() };
    }
    case 'INTERNAL':
      return {};
    default:
      throw new ApiError(400, 'ticketBlockchainInput is not emulated: pay from the INTERNAL balance');
  }
}

const bankInstructions = (): object => ({
  ...{ bankName: 'Emulated Bank', routingNumber: '021000021', accountNumber: '900000001234' },
  ...{ beneficiaryName: 'Ramp Emulator', memo: randomBytes(6).toString('hex').toUpperCase() },
});

interface Ending {
  readonly account: SubAccount;
  readonly quote: PricedQuote;
  readonly parts: TicketDeskParts;
}

function outputOf({ account, quote, parts }: Ending, body: TicketBody): Partial<StoredTicket> {
  const { outputPaymentMethod: method } = quote;
  if (method === 'PIX') return pixOutput(parts.control, body);
  if (method === 'WIRE' || method === 'ACH') {
    const bank = (method === 'WIRE' ? body.ticketUsdWireOutput : body.ticketUsdOutput)?.beneficiaryUsdBankAccountId;
    if (account.beneficiaries.some(({ id }) => id === bank)) return {};
    throw invalidField('beneficiaryUsdBankAccountId');
  }
  const { walletAddress = '', walletChain = '' } = body.ticketBlockchainOutput ?? {};
  if (walletChain !== method) throw invalidField('walletChain');
  if (!isAddress(walletAddress)) throw invalidField('walletAddress');
  return { receiver: { walletAddress: walletAddress as Address, walletChain } };
}

function pixOutput({ unknownPixKeys }: Control, { ticketBrlPixOutput }: TicketBody): Partial<StoredTicket> {
  if (ticketBrlPixOutput === undefined) throw invalidField('ticketBrlPixOutput');
  const { pixKey } = ticketBrlPixOutput;
  if (pixKey !== undefined && unknownPixKeys.includes(pixKey)) throw invalidField('pixKey');
  return pixKey === undefined ? {} : { pixKey };
}

function useLimit({ limits }: Control, account: SubAccount, quote: PricedQuote): void {
  const [side, amount] = isFiat(quote.inputCurrency)
    ? (['in', parseMicro(quote.inputAmount, 'inputAmount')] as const)
    : (['out', isFiat(quote.outputCurrency) ? parseMicro(quote.outputAmount, 'outputAmount') : 0n] as const);
  const used = BigInt(account.used[side]) + amount;
  const most = parseMicro(side === 'in' ? limits.maxFiatIn : limits.maxFiatOut, 'limits');
  if (account.blocked || (amount > 0n && used > most)) throw new ApiError(400, 'limit exceeded');
  account.used[side] = used.toString();
}

/** True when it was paid. */
async function payOut({ chains }: TicketDeskParts, ticket: StoredTicket): Promise<boolean> {
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

/** What was taken from the person's account goes back there. */
function giveBack({ world }: TicketDeskParts, { accountId, quote }: StoredTicket): void {
  const account = world.accounts.find(({ id }) => id === accountId);
  if (account === undefined || quote.inputPaymentMethod !== 'INTERNAL') return;
  book(account, quote.inputCurrency, parseMicro(quote.inputAmount, 'inputAmount'));
}

/** `E`, the bank, the minute, and eleven more. */
function endToEndId(): string {
  const minute = new Date().toISOString().replaceAll(/[-T:]/g, '').slice(0, 12);
  return `E39416705${minute}${randomBytes(6).toString('hex').slice(0, 11)}`;
}

/** A ticket as it is looked up: only the blocks of its rail. */
export function ticketBodyOf(ticket: StoredTicket): object {
  const { id, accountId, externalId, status, quote, createdAt, updatedAt, expiresAt } = ticket;
  const { accountId: _, expiresAt: __, quoteToken: ___, ...shown } = quote;
  const endToEnd = { endToEndId: ticket.endToEndId ?? '' };
  return {
    ...{ id, workspaceId: '', userId: accountId, externalId, status, reason: '', failureReason: '' },
    ...{ createdAt, updatedAt, expiresAt, quote: { id: `quote-of-${id}`, ticketId: id, ...shown } },
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
