import type { HttpClient } from '../../../http/http-client';
import type { OnUncheckedPixKey } from '../../unchecked-pix-key';
import type { PrimaryRampNetworks } from './route-sides';
import { balance, balances, readResponse, accountInfo, oneTicket, ticketList, type ApiTicket } from './api-schemas';
import { UpstreamError } from '../../../http/upstream-error';

/** The dependencies of the adapter's functions. */
export interface PrimaryRampApi {
  readonly http: HttpClient;
  /** Base URL of the ramp. Uploads go there, or to a public host by https. */
  readonly apiUrl: string;
  readonly networks: PrimaryRampNetworks;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onUncheckedPixKey?: OnUncheckedPixKey | undefined;
  /** Time limit, in milliseconds, for looking up the Pix key of a payout again; 2,000 by default. */
  readonly pixKeyTimeoutMs?: number | undefined;
  /** External ids of the payouts whose Pix key this process has found a short time ago. */
  readonly checkedPayouts: { has(externalId: string): boolean; set(externalId: string, found: true): unknown };
}

export const TICKETS = '/v2/account/tickets/';

/** @throws UpstreamError */
export async function ticketById(api: PrimaryRampApi, id: string, call: AccountCall): Promise<ApiTicket> {
  const query = { subAccountId: call.accountId };
  const response = await api.http.get(`/v2/account/tickets/${encodeURIComponent(id)}`, query, call.signal);
  return readResponse(oneTicket, response).ticket;
}

export interface AccountCall {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the ticket with an external id.
 *
 * @throws UpstreamError, also when there are several: the payment was made twice and must not continue
 */
export async function ticketByExternalId(
  api: PrimaryRampApi,
  externalId: string,
  { accountId, signal }: AccountCall,
): Promise<ApiTicket | undefined> {
  const response = await api.http.get(TICKETS, { externalId, subAccountId: accountId }, signal);
  const { tickets, cursor } = readResponse(ticketList, response);
  const found = tickets.filter((ticket) => ticket.externalId === externalId);
  // When the ramp's filter lets other tickets through, a page without a match does not prove that there is none.
  if (found.length < tickets.length && (cursor ?? '') !== '') {
    throw new UpstreamError('its filter is not applied', { kind: 'unreadable' });
  }
  if (found.length > 1) throw new UpstreamError('it has several tickets with the same id', { kind: 'unreadable' });
  return found[0];
}

/** @throws UpstreamError */
export async function openRampTicket(api: PrimaryRampApi, body: object, call: AccountCall): Promise<unknown> {
  const { accountId, signal } = call;
  return api.http.call({ method: 'POST', path: TICKETS, query: { subAccountId: accountId }, body, signal });
}

/** The person's balance in a currency at the ramp, as decimal text. @throws UpstreamError */
export async function requestBalance(
  api: PrimaryRampApi,
  currency: string,
  { accountId, signal }: AccountCall,
): Promise<string> {
  const response = await api.http.get('/v2/account/balances', { subAccountId: accountId }, signal);
  return readResponse(balance, readResponse(balances, response).balances[currency] ?? '0');
}

/** @throws UpstreamError */
export async function requestAccountInfo(api: PrimaryRampApi, { accountId, signal }: AccountCall) {
  return readResponse(accountInfo, await api.http.get('/v2/account/account-info', { subAccountId: accountId }, signal));
}
