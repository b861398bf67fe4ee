import { z } from 'zod';
import { serviceError } from '../../../errors/service-error';
import { UpstreamError } from '../../../http/upstream-error';
import { parseBrCode } from '../../br-code';
import type { BankInstructions, PaymentInstructions, Ticket, TicketRequest, TicketState } from '../../ramp-provider';
import { isOutcomeUnknown, ticketFailure } from './failures';
import { openRampTicket, type PrimaryRampApi, ticketByExternalId } from './ramp-api';
import { routeSides } from './route-sides';
import { openedTicket, readResponse, type ApiTicket } from './api-schemas';
import { fromApiAmount } from './api-amount';

const execution = z.object({ quoteToken: z.string() });

/**
 * Time that the payer has for a Pix deposit. A rate is fixed for at most ten minutes; tickets without an exchange last half an
 * hour. Transfers between banks in the United States take days, so their tickets keep the ramp's default.
 */
const DEPOSIT_SECONDS = { exchanged: 600, pegged: 1800 };

/** @throws as RampProvider.openTicket */
export async function openPayIn(api: PrimaryRampApi, request: TicketRequest, signal: AbortSignal): Promise<Ticket> {
  const { route, quote, externalId, account } = request;
  if (quote.expiresAt.getTime() <= api.now()) throw serviceError('QUOTE_EXPIRED');
  const { quoteToken } = execution.parse(quote.execution);
  const body = {
    quoteToken,
    externalId,
    ...depositDuration(route),
    ...inputBlock(request),
    ...outputBlock(api, request),
  };
  try {
    const response = await openRampTicket(api, body, { accountId: account.accountId, signal });
    const { id, brCode, expiration, bankInstructions } = readResponse(openedTicket, response);
    return payInTicket(request, { id, brCode, expiresAt: expiration, bankInstructions });
  } catch (error) {
    // Finds out at once whether the ticket was opened. When that fails as well, the caller calls `findTicket`.
    const found = isOutcomeUnknown(error) ? await findPayIn(api, request, signal).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    throw ticketFailure(error);
  }
}

function depositDuration({ rail, token }: TicketRequest['route']): { readonly customDuration?: number } {
  if (rail !== 'PIX') return {};
  return { customDuration: token.symbol === 'BRLA' ? DEPOSIT_SECONDS.pegged : DEPOSIT_SECONDS.exchanged };
}

function inputBlock({ route, externalId }: TicketRequest): object {
  if (route.rail === 'PIX') return { ticketBrlPixInput: { additionalData: externalId } };
  // The guide does not name the blocks of deposits in USD: these are by analogy with payouts.
  return route.rail === 'WIRE' ? { ticketUsdWireInput: {} } : { ticketUsdInput: {} };
}

function outputBlock({ networks }: PrimaryRampApi, { route, walletAddress, memo }: TicketRequest): object {
  const walletChain = routeSides(networks, route).out.method;
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

type OpenedPayIn = Pick<ApiTicket, 'id' | 'expiresAt' | 'bankInstructions'> & {
  readonly brCode: string | null | undefined;
};

/** @throws UpstreamError when the instructions are missing, or differ from the quote */
function payInTicket({ route, quote }: TicketRequest, opened: OpenedPayIn): Ticket {
  const amount = { amountRaw: quote.amountIn.toString(), currency: route.currency };
  const instructions: PaymentInstructions = {
    ...(route.rail === 'PIX'
      ? { pix: { copyPaste: verifyBrCode(opened.brCode, quote.amountIn) } }
      : bankInstructionsOf(route.rail, opened)),
    expiresAt: dateOf(opened.expiresAt),
    amount,
  };
  return { kind: 'payIn', ticketId: opened.id, instructions };
}

function verifyBrCode(brCode: string | null | undefined, amount: bigint): string {
  const parsed = brCode === null || brCode === undefined ? undefined : tryParseBrCode(brCode);
  if (brCode === null || brCode === undefined || parsed === undefined) throw unreadable('it returned no BR Code');
  if (parsed.amount !== undefined && parsed.amount !== amount) throw unreadable('its BR Code has another amount');
  return brCode;
}

function tryParseBrCode(brCode: string) {
  try {
    return parseBrCode(brCode);
  } catch {
    return undefined;
  }
}

function bankInstructionsOf(rail: 'ACH' | 'WIRE', { bankInstructions }: OpenedPayIn): Partial<PaymentInstructions> {
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

export interface PolledPayIn {
  readonly ticket: ApiTicket;
  /** Decimals of the token of the settlement; `undefined` without the request. */
  readonly decimals: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The state of an on-ramp ticket. */
export function payInState({ ticket, decimals, now }: PolledPayIn): TicketState {
  switch (ticket.status) {
    case 'UNPAID':
      return { status: 'waitingForPayment' };
    case 'PENDING':
    case 'PROCESSING':
    case 'ON-HOLD':
      return { status: 'processing' };
    case 'PAID':
      return isAwaitingTxHash(ticket, now) ? { status: 'processing' } : completed(ticket, decimals);
    case 'CANCELED':
      return { status: 'failed', reason: 'The payment did not arrive in time' };
    case 'FAILED':
    case 'PARTIAL-FAILED':
      return { status: 'failed', reason: 'The ramp could not complete it' };
  }
}

function completed(ticket: ApiTicket, decimals: number | undefined): TicketState {
  const { quote, blockchainReceiverInfo, brazilianFiatSenderInfo } = ticket;
  const amount = quote?.outputAmount ?? undefined;
  const unit = decimals === undefined ? undefined : { decimals, precision: decimals };
  return {
    status: 'completed',
    txHash: presentOf(blockchainReceiverInfo?.txHash),
    endToEndId: presentOf(brazilianFiatSenderInfo?.endToEndId),
    amountOut: unit === undefined || amount === undefined ? undefined : fromApiAmount(amount, unit),
  };
}

/** Time after `PAID` within which the ramp reports the transaction. */
const TX_HASH_TIMEOUT_MS = 600_000;

/**
 * True while the ramp has not reported the transaction of a settlement on chain, which is needed to verify it. After ten
 * minutes without one it is not expected any more.
 */
export const isAwaitingTxHash = ({ blockchainReceiverInfo, updatedAt }: ApiTicket, now: number): boolean =>
  presentOf(blockchainReceiverInfo?.txHash) === undefined && Date.parse(updatedAt ?? '') > now - TX_HASH_TIMEOUT_MS;

/** The text, or `undefined` when it is empty: the ramp fills the fields of a ticket one after the other. */
export const presentOf = (text: string | null | undefined): string | undefined =>
  text === null || text === '' ? undefined : text;
