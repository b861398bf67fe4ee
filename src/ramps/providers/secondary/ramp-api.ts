import type { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { jsonWithNumbers } from './api-amount';
import {
  customer,
  listOf,
  readResponse,
  transactionResponse,
  type ApiCustomer,
  type ApiTransaction,
} from './api-schemas';

/** Names of the chains at the ramp. */
export type SecondaryRampNetwork = 'polygon' | 'base';
export type SecondaryRampNetworks = Readonly<Record<number, SecondaryRampNetwork>>;

export interface SecondaryRampApi {
  readonly http: Pick<HttpClient, 'call' | 'get' | 'post'>;
  readonly networks: SecondaryRampNetworks;
  /** The ramp's field for a person's tax id, which differs between its guides. */
  readonly taxIdField: 'tin' | 'tax_id';
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Maximum length of a page at the ramp. */
const PAGE_SIZE = 100;
/** Bounds a list that never ends. */
const MAX_PAGES = 200;

export const apiPath = (...segments: readonly string[]): string =>
  `/v1/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;

/** Sends amounts as JSON numbers. Never retried: the ramp does not support idempotency keys. @throws UpstreamError */
export function postNumbers(
  { http }: SecondaryRampApi,
  { path, body }: { readonly path: string; readonly body: object },
  signal: AbortSignal,
): Promise<unknown> {
  const content = { type: 'application/json', bytes: jsonWithNumbers(body) };
  return http.call({ method: 'POST', path, content, signal });
}

/** Yields all entries of a list, page by page. @throws UpstreamError */
export async function* listEntries<Entry extends z.ZodType>(
  { http }: SecondaryRampApi,
  list: {
    readonly path: string;
    readonly entries: z.ZodArray<Entry>;
    readonly query?: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
): AsyncGenerator<z.output<Entry>> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { ...list.query, limit: PAGE_SIZE, offset: page * PAGE_SIZE };
    const entries = readResponse(list.entries, listOf(await http.get(list.path, query, signal)));
    yield* entries;
    if (entries.length < PAGE_SIZE) return;
  }
}

/** @throws UpstreamError */
export async function customerById(
  { http }: SecondaryRampApi,
  accountId: string,
  signal: AbortSignal,
): Promise<ApiCustomer> {
  return readResponse(customer, await http.get(apiPath('customers', accountId), {}, signal));
}

/** @throws UpstreamError */
export async function transactionById(
  { http }: SecondaryRampApi,
  ticketId: string,
  signal: AbortSignal,
): Promise<ApiTransaction> {
  return readResponse(transactionResponse, await http.get(apiPath('transactions', ticketId), {}, signal));
}
