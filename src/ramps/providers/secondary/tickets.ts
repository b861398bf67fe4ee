import { z } from 'zod';
import { parseEvmAddress, ZERO_ADDRESS } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import { parseBrCode } from '../../br-code';
import type { BankInstructions, Ticket, TicketRequest } from '../../ramp-provider';
import { rampFailure, isRefusedQuote, isOutcomeUnknown, movementFailure } from './failures';
import { listEntries, apiPath, postNumbers, type SecondaryRampApi, transactionById } from './ramp-api';
import { type Legs, routeLegs } from './ramp-route';
import { resolveTicketParties } from './ticket-parties';
import {
  type ListedTransaction,
  listedTransaction,
  readResponse,
  transactionResponse,
  unreadable,
  type WireBankAccount,
  type WireTransaction,
} from './wire';
import { fromWireNumber } from './wire-amount';

const execution = z.object({ quoteId: z.string(), quotedAt: z.iso.datetime() });

/** @throws as RampProvider.openTicket */
export async function openTicket(api: SecondaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { route, quote, account } = request;
  if (quote.expiresAt.getTime() <= api.now()) throw serviceError('QUOTE_EXPIRED');
  const legs = routeLegs(api.networks, route);
  const { quoteId } = execution.parse(quote.execution);
  const parties = await resolveTicketParties(api, { request, legs }, signal).catch((error: unknown) => {
    throw movementFailure('TICKET', route, error);
  });
  const body = { quote_id: quoteId, customer_id: account.accountId, ...parties };
  const path = apiPath(legs.type === 'on_ramp' ? 'payin' : 'payout');
  try {
    return ticketOf(request, {
      legs,
      opened: readResponse(transactionResponse, await postNumbers(api, { path, body }, signal)),
    });
  } catch (error) {
    // It is never sent again. Whether it was heard is asked at once; when that fails as well, the caller asks later.
    const mayBeOpen = isOutcomeUnknown(error) || isRefusedQuote(error);
    const found = mayBeOpen ? await find(api, request, signal).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    throw movementFailure('TICKET', route, error);
  }
}

/** @throws as RampProvider.findTicket */
export async function findTicket(
  api: SecondaryRampApi,
  request: TicketRequest,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  try {
    return await find(api, request, signal);
  } catch (error) {
    throw rampFailure('TICKET', error);
  }
}

/** The ramp keeps no id of ours: the transaction is found by its quote, which is used once. */
async function find(api: SecondaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket | undefined> {
  const legs = routeLegs(api.networks, request.route);
  const path = apiPath('customers', request.account.accountId, 'transactions');
  const isOurs = matcherOf(request, legs);
  const found: string[] = [];
  for await (const entry of listEntries(api, { path, entries: z.array(listedTransaction) }, signal)) {
    if (isOurs(entry)) found.push(entry.id);
  }
  const [id] = found;
  if (id === undefined) return undefined;
  if (found.length > 1) throw serviceError('SECONDARY_RAMP_API_ERROR', {}, { details: { reason: 'ambiguous' } });
  return ticketOf(request, { legs, opened: await transactionById(api, id, signal) });
}

/** How far the ramp's clock may be behind ours. */
const CLOCK_SKEW_MS = 30_000;

/** A transaction that does not name its quote counts by amount, ends and wallet, and by being younger than the quote. */
function matcherOf(request: TicketRequest, legs: Legs): (entry: ListedTransaction) => boolean {
  const { quoteId, quotedAt } = execution.parse(request.quote.execution);
  const since = Date.parse(quotedAt) - CLOCK_SKEW_MS;
  return (entry) => {
    if (entry.type !== undefined && entry.type !== legs.type) return false;
    if (entry.quote_id !== undefined) return entry.quote_id === quoteId;
    return Date.parse(entry.created_at ?? '') >= since && looksLike(entry, { request, legs });
  };
}

function looksLike(
  { sender_deposit_instructions: deposit, sender, receiver }: ListedTransaction,
  asked: Asked,
): boolean {
  const wallet = (asked.legs.type === 'on_ramp' ? receiver : sender)?.address;
  const isOurs = wallet?.toLowerCase() === asked.request.walletAddress.toLowerCase();
  return isOurs && deposit !== undefined && isDepositOf(deposit, asked);
}

type Deposit = NonNullable<WireTransaction['sender_deposit_instructions']>;

interface Asked {
  readonly request: TicketRequest;
  readonly legs: Legs;
}

const isDepositOf = ({ amount, currency, payment_rail }: Deposit, { request, legs }: Asked): boolean =>
  fromWireNumber(amount, legs.in.decimals) === request.quote.amountIn &&
  currency === legs.in.currency &&
  (WIRES.has(payment_rail) ? 'wire' : payment_rail) === legs.in.payment_rail;

/** Its guides have two names for domestic wires. */
const WIRES: ReadonlySet<string> = new Set(['wire', 'us_wire']);

/** @throws UpstreamError when it asks for something else than what was quoted, or does not tell how to give it */
function ticketOf(
  request: TicketRequest,
  { legs, opened }: { readonly legs: Legs; readonly opened: WireTransaction },
): Ticket {
  const deposit = opened.sender_deposit_instructions;
  if (deposit === undefined) throw unreadable('its ticket has no payment address');
  if (!isDepositOf(deposit, { request, legs })) throw unreadable('its ticket differs from the quote');
  const ticketId = opened.id;
  if (legs.type === 'off_ramp') {
    return { ticketId, kind: 'payOut', depositAddress: chainAddress(deposit), amount: request.quote.amountIn };
  }
  const { quote, route } = request;
  return {
    ticketId,
    kind: 'payIn',
    instructions: {
      ...(route.rail === 'PIX' ? { pix: { copyPaste: brCode(deposit, quote.amountIn) } } : { wire: bankOf(deposit) }),
      // The ramp does not tell for how long it waits: the rate is certain as long as the quote is. No wire is as fast.
      expiresAt: route.rail === 'PIX' ? quote.expiresAt : undefined,
      amount: { amountRaw: quote.amountIn.toString(), currency: route.currency },
    },
  };
}

function chainAddress({ deposit_address: text }: Deposit): string {
  const address = parseEvmAddress(text ?? '');
  if (address === undefined || address === ZERO_ADDRESS) throw unreadable('its ticket has no account to send to');
  return address;
}

function brCode({ deposit_address: text = '' }: Deposit, amount: bigint): string {
  const told = amountInBrCode(text);
  if (told !== undefined && told !== amount) throw unreadable('its BR Code has another amount');
  return text;
}

function amountInBrCode(text: string): bigint | undefined {
  try {
    return parseBrCode(text).amount;
  } catch (cause) {
    throw unreadable('it returned no BR Code', cause);
  }
}

function bankOf({ bank_account, reference }: Deposit): BankInstructions {
  const [accountNumber, beneficiary] = [numberOf(bank_account), beneficiaryOf(bank_account)];
  if (bank_account === undefined || accountNumber === undefined || beneficiary === undefined) {
    throw unreadable('it returned no bank account');
  }
  const { bank_name: bankName, routing_number: routingNumber } = bank_account;
  return { bankName, routingNumber, accountNumber, beneficiary, memo: reference };
}

const numberOf = (account: WireBankAccount | undefined) => account?.bank_account_number ?? account?.account_number;
const beneficiaryOf = (account: WireBankAccount | undefined) => account?.beneficiary?.name ?? account?.beneficiary_name;
