import { z } from 'zod';
import { serviceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { parseBrCode } from '../../br-code';
import type { BankInstructions, PaymentInstructions, Ticket, TicketRequest, TicketState } from '../../ramp-provider';
import { isOutcomeUnknown, ticketFailure } from './failures';
import { openRampTicket, type PrimaryRampApi, ticketByExternalId } from './ramp-api';
import { routeLegs } from './ramp-legs';
import { openedTicket, readResponse, type WireTicket } from './wire';
import { fromWireAmount } from './wire-amount';

const execution = z.object({ quoteToken: z.string() });

/**
 * For how long the customer may pay by Pix: rates are kept ten minutes at most, where nothing is exchanged half an hour.
 * Banks in the United States take a day or days: there the ramp waits as long as it does by itself.
 */
const DURATION_SECONDS = { exchanged: 600, pegged: 1800 };

/** @throws as RampProvider.openTicket */
export async function openPayIn(api: PrimaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { route, quote, externalId, account } = request;
  if (quote.expiresAt.getTime() <= api.now()) throw serviceError('QUOTE_EXPIRED');
  const { quoteToken } = execution.parse(quote.execution);
  const body = { quoteToken, externalId, ...durationOf(route), ...inputBlock(request), ...outputBlock(api, request) };
  try {
    const answer = await openRampTicket(api, body, { accountId: account.accountId, signal });
    const { id, brCode, expiration, bankInstructions } = readResponse(openedTicket, answer);
    return payInTicket(request, { id, brCode, expiresAt: expiration, bankInstructions });
  } catch (error) {
    // Whether it was heard is asked at once; when that fails as well, the caller asks again.
    const found = isOutcomeUnknown(error) ? await findPayIn(api, request, signal).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    throw ticketFailure(route, error);
  }
}

function durationOf({ rail, token }: TicketRequest['route']): { readonly customDuration?: number } {
  if (rail !== 'PIX') return {};
  return { customDuration: token.symbol === 'BRLA' ? DURATION_SECONDS.pegged : DURATION_SECONDS.exchanged };
}

function inputBlock({ route, externalId }: TicketRequest): object {
  if (route.rail === 'PIX') return { ticketBrlPixInput: { additionalData: externalId } };
  // The guide does not name the blocks of payments in USD: by analogy with those of payouts.
  return route.rail === 'WIRE' ? { ticketUsdWireInput: {} } : { ticketUsdInput: {} };
}

function outputBlock({ networks }: PrimaryRampApi, { route, walletAddress, memo }: TicketRequest): object {
  const walletChain = routeLegs(networks, route).out.method;
  const walletMemo = memo === undefined ? {} : { walletMemo: memo };
  return { ticketBlockchainOutput: { walletChain, walletAddress, ...walletMemo } };
}

/** @throws UpstreamError */
export async function findPayIn(
  api: PrimaryRampApi,
  request: TicketRequest,
  signal: AbortSignal,
): Promise<Ticket | undefined> {
  const call = { accountId: request.account.accountId, signal };
  const ticket = await ticketByExternalId(api, request.externalId, call);
  if (ticket === undefined) return undefined;
  const { id, brlPixInputInfo, expiresAt, bankInstructions } = ticket;
  return payInTicket(request, { id, brCode: brlPixInputInfo?.brCode, expiresAt, bankInstructions });
}

type OpenedPayIn = Pick<WireTicket, 'id' | 'expiresAt' | 'bankInstructions'> & {
  readonly brCode: string | null | undefined;
};

/** @throws UpstreamError when the instructions are missing, or say something else than what was quoted */
function payInTicket({ route, quote }: TicketRequest, opened: OpenedPayIn): Ticket {
  const amount = { amountRaw: quote.amountIn.toString(), currency: route.currency };
  const instructions: PaymentInstructions = {
    ...(route.rail === 'PIX'
      ? { pix: { copyPaste: checkedBrCode(opened.brCode, quote.amountIn) } }
      : bankOf(route.rail, opened)),
    expiresAt: dateOf(opened.expiresAt),
    amount,
  };
  return { kind: 'payIn', ticketId: opened.id, instructions };
}

function checkedBrCode(brCode: string | null | undefined, amount: bigint): string {
  const asked = brCode === null || brCode === undefined ? undefined : parsedBrCode(brCode);
  if (brCode === null || brCode === undefined || asked === undefined) throw unreadable('it returned no BR Code');
  if (asked.amount !== undefined && asked.amount !== amount) throw unreadable('its BR Code has another amount');
  return brCode;
}

function parsedBrCode(brCode: string) {
  try {
    return parseBrCode(brCode);
  } catch {
    return undefined;
  }
}

function bankOf(rail: 'ACH' | 'WIRE', { bankInstructions }: OpenedPayIn): Partial<PaymentInstructions> {
  if (bankInstructions === null || bankInstructions === undefined) throw unreadable('it returned no bank account');
  const { bankName, routingNumber, accountNumber, beneficiaryName, memo } = bankInstructions;
  const bank: BankInstructions = {
    bankName,
    routingNumber,
    accountNumber,
    beneficiary: beneficiaryName,
    memo: memo ?? undefined,
  };
  return rail === 'WIRE' ? { wire: bank } : { ach: bank };
}

const unreadable = (reason: string) => new UpstreamError(reason, { kind: 'unreadable' });

function dateOf(text: unknown): Date | undefined {
  const date = new Date(typeof text === 'string' ? text : '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export interface LookedUpPayIn {
  readonly ticket: WireTicket;
  /** Of the token that is paid out, where they are known. */
  readonly decimals: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How far a payment in is. */
export function payInState({ ticket, decimals, now }: LookedUpPayIn): TicketState {
  switch (ticket.status) {
    case 'UNPAID':
      return { status: 'waitingForPayment' };
    case 'PENDING':
    case 'PROCESSING':
    case 'ON-HOLD':
      return { status: 'processing' };
    case 'PAID':
      return isBeingFilled(ticket, now) ? { status: 'processing' } : completed(ticket, decimals);
    case 'CANCELED':
      return { status: 'failed', reason: 'The payment did not arrive in time' };
    case 'FAILED':
    case 'PARTIAL-FAILED':
      return { status: 'failed', reason: 'The ramp could not complete it' };
  }
}

function completed(ticket: WireTicket, decimals: number | undefined): TicketState {
  const { quote, blockchainReceiverInfo, brazilianFiatSenderInfo } = ticket;
  const amount = quote?.outputAmount ?? undefined;
  const unit = decimals === undefined ? undefined : { decimals, precision: decimals };
  return {
    status: 'completed',
    txHash: presentOf(blockchainReceiverInfo?.txHash),
    endToEndId: presentOf(brazilianFiatSenderInfo?.endToEndId),
    amountOut: unit === undefined || amount === undefined ? undefined : fromWireAmount(amount, unit),
  };
}

const FILLED_WITHIN_MS = 600_000;

/**
 * True of a payment on chain whose transaction is not told yet: blocks are filled bit by bit, and without it nobody can look
 * at the chain. When it has not come for ten minutes, it is not told at all.
 */
export const isBeingFilled = ({ blockchainReceiverInfo, updatedAt }: WireTicket, now: number): boolean =>
  presentOf(blockchainReceiverInfo?.txHash) === undefined && Date.parse(updatedAt ?? '') > now - FILLED_WITHIN_MS;

/** Blocks are filled bit by bit: what is empty is not there yet. */
export const presentOf = (text: string | null | undefined): string | undefined =>
  text === null || text === '' ? undefined : text;
