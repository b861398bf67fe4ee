import { z } from 'zod';
import { isSameAddress, parseEvmAddress, ZERO_ADDRESS } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import { parseBrCode } from '../../br-code';
import type { BankInstructions, Ticket, TicketRequest } from '../../ramp-provider';
import { rampFailure, isRefusedQuote, isOutcomeUnknown, paymentFailure } from './failures';
import { listEntries, apiPath, postNumbers, type SecondaryRampApi, transactionById } from './ramp-api';
import { type RampSides, routeSides } from './route-sides';
import { resolveTicketParties } from './ticket-parties';
import {
  type ListedTransaction,
  listedTransaction,
  readResponse,
  transactionResponse,
  unreadable,
  type ApiBankAccount,
  type ApiTransaction,
} from './api-schemas';
import { fromApiNumber } from './api-amount';

const execution = z.object({ quoteId: z.string(), quotedAt: z.iso.datetime() });

/** @throws as RampProvider.openTicket */
export async function openTicket(api: SecondaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { route, quote, account } = request;
  if (quote.expiresAt.getTime() <= api.now()) throw serviceError('QUOTE_EXPIRED');
  const sides = routeSides(api.networks, route);
  const { quoteId } = execution.parse(quote.execution);
  const parties = await resolveTicketParties(api, { request, sides }, signal).catch((error: unknown) => {
    throw paymentFailure('TICKET', error);
  });
  const body = { quote_id: quoteId, customer_id: account.accountId, ...parties };
  const path = apiPath(sides.type === 'on_ramp' ? 'payin' : 'payout');
  try {
    return toTicket(request, {
      sides,
      opened: readResponse(transactionResponse, await postNumbers(api, { path, body }, signal)),
    });
  } catch (error) {
    // Never sent again. Finds out at once whether the ticket was opened. When that fails as well, the caller calls `findTicket`.
    const mayBeOpen = isOutcomeUnknown(error) || isRefusedQuote(error);
    const found = mayBeOpen ? await findTransaction(api, request, signal).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    throw paymentFailure('TICKET', error);
  }
}

/** @throws as RampProvider.findTicket */
export async function findTicket(
  api: SecondaryRampApi,
  request: TicketRequest,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  try {
    return await findTransaction(api, request, signal);
  } catch (error) {
    throw rampFailure('TICKET', error);
  }
}

/** Finds the transaction by its quote, which is used once, because the ramp stores no external id. */
async function findTransaction(
  api: SecondaryRampApi,
  request: TicketRequest,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const sides = routeSides(api.networks, request.route);
  const path = apiPath('customers', request.account.accountId, 'transactions');
  const isMatch = createMatcher(request, sides);
  const found: string[] = [];
  for await (const entry of listEntries(api, { path, entries: z.array(listedTransaction) }, signal)) {
    if (isMatch(entry)) found.push(entry.id);
  }
  const [id] = found;
  if (id === undefined) return undefined;
  if (found.length > 1) throw serviceError('SECONDARY_RAMP_API_ERROR', {}, { details: { reason: 'ambiguous' } });
  return toTicket(request, { sides, opened: await transactionById(api, id, signal) });
}

/** Maximum delay of the ramp's clock. */
const CLOCK_SKEW_MS = 30_000;

/** Matches a transaction by quote id. Without one it must match amount, rails and wallet, and be newer than the quote. */
function createMatcher(request: TicketRequest, sides: RampSides): (entry: ListedTransaction) => boolean {
  const { quoteId, quotedAt } = execution.parse(request.quote.execution);
  const since = Date.parse(quotedAt) - CLOCK_SKEW_MS;
  return (entry) => {
    if (entry.type !== undefined && entry.type !== sides.type) return false;
    if (entry.quote_id !== undefined) return entry.quote_id === quoteId;
    return Date.parse(entry.created_at ?? '') >= since && isPaymentOf(entry, { request, sides });
  };
}

function isPaymentOf(
  { sender_deposit_instructions: deposit, sender, receiver }: ListedTransaction,
  ticket: RequestedTicket,
): boolean {
  const wallet = (ticket.sides.type === 'on_ramp' ? receiver : sender)?.address;
  const isSameWallet = isSameAddress(wallet, ticket.request.walletAddress);
  return isSameWallet && deposit !== undefined && isDepositOf(deposit, ticket);
}

type Deposit = NonNullable<ApiTransaction['sender_deposit_instructions']>;

interface RequestedTicket {
  readonly request: TicketRequest;
  readonly sides: RampSides;
}

const isDepositOf = ({ amount, currency, payment_rail }: Deposit, { request, sides }: RequestedTicket): boolean =>
  fromApiNumber(amount, sides.in.decimals) === request.quote.amountIn &&
  currency === sides.in.currency &&
  (WIRES.has(payment_rail) ? 'wire' : payment_rail) === sides.in.payment_rail;

/** The ramp's guides have two names for domestic wires. */
const WIRES: ReadonlySet<string> = new Set(['wire', 'us_wire']);

/** Converts a transaction. @throws UpstreamError when its deposit instructions are missing, or differ from the quote */
function toTicket(
  request: TicketRequest,
  { sides, opened }: { readonly sides: RampSides; readonly opened: ApiTransaction },
): Ticket {
  const deposit = opened.sender_deposit_instructions;
  if (deposit === undefined) throw unreadable('its ticket has no payment address');
  if (!isDepositOf(deposit, { request, sides })) throw unreadable('its ticket differs from the quote');
  const ticketId = opened.id;
  if (sides.type === 'off_ramp') {
    return { ticketId, kind: 'payOut', depositAddress: depositAddress(deposit), amount: request.quote.amountIn };
  }
  const { quote, route } = request;
  return {
    ticketId,
    kind: 'payIn',
    instructions: {
      ...(route.rail === 'PIX'
        ? { pix: { copyPaste: brCode(deposit, quote.amountIn) } }
        : { wire: bankInstructionsOf(deposit) }),
      // The ramp does not report a deadline. A Pix deposit has the rate until the quote expires; wires are slower than that.
      expiresAt: route.rail === 'PIX' ? quote.expiresAt : undefined,
      amount: { amountRaw: quote.amountIn.toString(), currency: route.currency },
    },
  };
}

function depositAddress({ deposit_address: text }: Deposit): string {
  const address = parseEvmAddress(text ?? '');
  if (address === undefined || address === ZERO_ADDRESS) throw unreadable('its ticket has no account to send to');
  return address;
}

function brCode({ deposit_address: text = '' }: Deposit, amount: bigint): string {
  const charged = amountInBrCode(text);
  if (charged !== undefined && charged !== amount) throw unreadable('its BR Code has another amount');
  return text;
}

function amountInBrCode(text: string): bigint | undefined {
  try {
    return parseBrCode(text).amount;
  } catch (cause) {
    throw unreadable('it returned no BR Code', cause);
  }
}

function bankInstructionsOf({ bank_account, reference }: Deposit): BankInstructions {
  const [accountNumber, beneficiary] = [accountNumberOf(bank_account), beneficiaryNameOf(bank_account)];
  if (bank_account === undefined || accountNumber === undefined || beneficiary === undefined) {
    throw unreadable('it returned no bank account');
  }
  const { bank_name: bankName, routing_number: routingNumber } = bank_account;
  return { bankName, routingNumber, accountNumber, beneficiary, memo: reference };
}

const accountNumberOf = (account: ApiBankAccount | undefined) =>
  account?.bank_account_number ?? account?.account_number;
const beneficiaryNameOf = (account: ApiBankAccount | undefined) =>
  account?.beneficiary?.name ?? account?.beneficiary_name;
