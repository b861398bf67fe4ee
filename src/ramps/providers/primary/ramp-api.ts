import type { HttpClient } from '../../../http/http-client';
import type { Networks } from './ramp-legs';
import { balance, balances, readAnswer, accountInfo, oneTicket, ticketList, type WireTicket } from './wire';
import { UpstreamError } from '../../../http/upstream-error';

/** What the parts of the adapter work with. */
export interface PrimaryRampApi {
  readonly http: HttpClient;
  /** Base URL of the ramp: uploads go there, or to where https leads. */
  readonly apiUrl: string;
  readonly networks: Networks;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const TICKETS = '/v2/account/tickets/';

/** @throws UpstreamError */
export async function ticketById(api: PrimaryRampApi, id: string, question: Question): Promise<WireTicket> {
  const query = { subAccountId: question.accountId };
  const answer = await api.http.get(`/v2/account/tickets/${encodeURIComponent(id)}`, query, question.signal);
  return readAnswer(oneTicket, answer).ticket;
}

export interface Question {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/**
 * The ticket that was opened under our id.
 *
 * @throws UpstreamError, also when there are several: money has moved twice, and nobody may go on
 */
export async function ticketByExternalId(
  api: PrimaryRampApi,
  externalId: string,
  { accountId, signal }: Question,
): Promise<WireTicket | undefined> {
  const answer = await api.http.get(TICKETS, { externalId, subAccountId: accountId }, signal);
  const { tickets, cursor } = readAnswer(ticketList, answer);
  const found = tickets.filter((ticket) => ticket.externalId === externalId);
  // The filter is theirs: where it lets others through, a page without ours does not mean that there is none.
  if (found.length < tickets.length && (cursor ?? '') !== '') {
    throw new UpstreamError('its filter does not hold', { kind: 'unreadable' });
  }
  if (found.length > 1) throw new UpstreamError('it has several tickets of one id', { kind: 'unreadable' });
  return found[0];
}

/** @throws UpstreamError */
export async function openRampTicket(api: PrimaryRampApi, body: object, question: Question): Promise<unknown> {
  const { accountId, signal } = question;
  return api.http.call({ method: 'POST', path: TICKETS, query: { subAccountId: accountId }, body, signal });
}

/** What the person has of a currency at the ramp, as decimal text. @throws UpstreamError */
export async function balanceOf(
  api: PrimaryRampApi,
  currency: string,
  { accountId, signal }: Question,
): Promise<string> {
  const answer = await api.http.get('/v2/account/balances', { subAccountId: accountId }, signal);
  return readAnswer(balance, readAnswer(balances, answer).balances[currency] ?? '0');
}

/** @throws UpstreamError */
export async function accountInfoOf(api: PrimaryRampApi, { accountId, signal }: Question) {
  return readAnswer(accountInfo, await api.http.get('/v2/account/account-info', { subAccountId: accountId }, signal));
}
