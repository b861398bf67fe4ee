import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Hex } from 'viem';
import { expectDescribed } from '../openapi/expect-described';

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly bearer: Readonly<Record<'admin' | 'owner' | 'developer' | 'viewer', string>>;
}

interface EmbeddedChain {
  readonly slug: string;
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly tokens: Readonly<Record<string, Hex>>;
}

/** What the running service says of itself in `embedded.json`. */
export interface RunningService {
  readonly baseUrl: string;
  readonly graphqlUrl: string;
  readonly customers: readonly Customer[];
  readonly chains: readonly EmbeddedChain[];
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[];
  readonly solanaAccounts: readonly { readonly address: string; readonly secretKey: string }[];
  readonly emulators: Readonly<Record<string, string>>;
}

/** The service that the test run started. */
export function runningService(): RunningService {
  const directory = process.env['AFLUENTE_TEST_SERVICE'];
  if (directory === undefined) throw new Error('no service runs: name the test file *.http.test.ts');
  return JSON.parse(readFileSync(path.join(directory, 'embedded.json'), 'utf8')) as RunningService;
}

export function customerNamed(service: RunningService, name: string): Customer {
  const customer = service.customers.find((candidate) => candidate.name === name);
  if (customer === undefined) throw new Error(`the service seeds no customer ${name}`);
  return customer;
}

/** Response of a REST call: status, headers and the parsed body. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface RestRequest {
  /** Default: POST with a body, otherwise GET. */
  readonly method?: string | undefined;
  /** Sent as it is when it is text, otherwise as JSON. */
  readonly body?: unknown;
  /** Added to the default headers, or replacing them; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Calls the REST contract with a customer's key. The response is as `docs/openapi.json` describes it, or the call fails. */
export function rest(
  target: string,
  { apiKey, ...request }: RestRequest & { readonly apiKey?: string } = {},
): Promise<RestResponse> {
  const service = runningService();
  return sendRequest(service.baseUrl + target, apiKey ?? customerNamed(service, 'load').apiKey, request);
}

/** Like `rest`, for any deployment of the service. */
export async function sendRequest(
  url: string,
  apiKey: string,
  { body, method = body === undefined ? 'GET' : 'POST', headers = {} }: RestRequest,
): Promise<RestResponse> {
  const all: Record<string, string | undefined> = {
    'x-api-key': apiKey,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const response = await fetch(url, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const received = { status: response.status, headers: response.headers, body: parsed(text) };
  expectDescribed({ method, url, ...received });
  return received;
}

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
