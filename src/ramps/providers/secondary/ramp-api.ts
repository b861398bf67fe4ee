import type { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { jsonWithNumbers } from './wire-amount';
import { customer, listOf, readResponse, transactionResponse, type WireCustomer, type WireTransaction } from './wire';

/** Names of the chains at the ramp. */
export type SecondaryRampNetwork = 'polygon' | 'base';
export type SecondaryRampNetworks = Readonly<Record<number, SecondaryRampNetwork>>;

export interface SecondaryRampApi {
  readonly http: Pick<HttpClient, 'call' | 'get' | 'post'>;
  readonly networks: SecondaryRampNetworks;
  /** Name under which the ramp takes a person's tax id: its guides differ. */
  readonly taxIdField: 'tin' | 'tax_id';
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Longest page that the ramp gives. */
const PAGE = 100;
/** A list that does not end is none. */
const MOST_PAGES = 200;

export const apiPath = (...segments: readonly string[]): string =>
  `/v1/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;

/** A POST with amounts that are JSON numbers. Never sent twice: the ramp knows no idempotency. @throws UpstreamError */
export function postNumbers(
  { http }: SecondaryRampApi,
  { path, body }: { readonly path: string; readonly body: object },
  signal: AbortSignal,
): Promise<unknown> {
  const content = { type: 'application/json', bytes: jsonWithNumbers(body) };
  return http.call({ method: 'POST', path, content, signal });
}

/** All entries of a list, page by page. @throws UpstreamError */
export async function* listEntries<Entry extends z.ZodType>(
  { http }: SecondaryRampApi,
  list: {
    readonly path: string;
    readonly entries: z.ZodArray<Entry>;
    readonly query?: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
): AsyncGenerator<z.output<Entry>> {
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { ...list.query, limit: PAGE, offset: page * PAGE };
    const entries = readResponse(list.entries, listOf(await http.get(list.path, query, signal)));
    yield* entries;
    if (entries.length < PAGE) return;
  }
}

/** @throws UpstreamError */
export async function customerById(
  { http }: SecondaryRampApi,
  accountId: string,
  signal: AbortSignal,
): Promise<WireCustomer> {
  return readResponse(customer, await http.get(apiPath('customers', accountId), {}, signal));
}

/** @throws UpstreamError */
export async function transactionById(
  { http }: SecondaryRampApi,
  ticketId: string,
  signal: AbortSignal,
): Promise<WireTransaction> {
  return readResponse(transactionResponse, await http.get(apiPath('transactions', ticketId), {}, signal));
}
