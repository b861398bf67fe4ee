import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Hex } from 'viem';

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
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

/** Calls the REST contract with a customer's key; `headers` replace or add. */
export async function rest(
  target: string,
  init: {
    readonly method?: string;
    readonly body?: unknown;
    readonly apiKey?: string;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<RestResponse> {
  const service = runningService();
  const response = await fetch(`${service.baseUrl}${target}`, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: {
      'x-api-key': init.apiKey ?? customerNamed(service, 'load').apiKey,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...init.headers,
    },
    ...(init.body === undefined ? {} : { body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}
