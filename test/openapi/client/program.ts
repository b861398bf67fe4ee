/**
 * A client of the service whose types are generated from docs/openapi.json into `api.ts`. It calls every route, and writes
 * a line of JSON for each response. `generated-client.http.test.ts` type-checks and runs it in a temporary directory.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import createClient, { type FetchResponse } from 'openapi-fetch';
import type { components, paths } from './api';

type Schemas = components['schemas'];

/** What the test gives the program. */
export interface ClientInput {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Access token of a member of the customer. */
  readonly bearer: string;
  readonly chain: { readonly slug: string; readonly chainId: number; readonly rpcUrl: string };
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** A funded wallet that the node of the chain signs for. */
  readonly wallet: string;
  /** The person to verify: a wallet without a person, another one to link, and the person's tax id and images. */
  readonly person: {
    readonly walletAddress: string;
    readonly otherWallet: string;
    readonly cpf: string;
    readonly image: Schemas['KycFileInput'];
  };
}

type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

type RoutesOf<Path extends keyof paths> = {
  [Name in Method]: [NonNullable<paths[Path][Name]>] extends [never] ? never : `${Uppercase<Name>} ${Path}`;
}[Method];

/** Every route of the document, such as `GET /actions/{id}`. */
type Route = { [Path in keyof paths]: RoutesOf<Path> }[keyof paths];

type OperationOf<Name extends Route> = Name extends `${infer Verb} ${infer Path extends keyof paths}`
  ? NonNullable<paths[Path][Lowercase<Verb> & Method]>
  : never;

/** A call of every route, which resolves to the typed body of that route. */
type Calls = {
  readonly [Name in Route]: () => Promise<FetchResponse<OperationOf<Name>, object, 'application/json'>>;
};

const { baseUrl, apiKey, bearer, chain, tokenIn, tokenOut, wallet, person } = JSON.parse(
  readFileSync(0, 'utf8'),
) as ClientInput;

const api = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } });
const member = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${bearer}` } });

const swap = {
  originChain: chain.slug,
  destinationChain: chain.slug,
  tokenIn,
  tokenOut,
  amountIn: '1000000',
};
const strategyId = `Aave-USDC-${chain.slug}`;
const parties = { originAddress: wallet, destinationAddress: wallet };
const transfer = { chainId: chain.chainId, token: tokenIn, amount: '1000', originAddress: wallet };
const address: Schemas['KycAddressInput'] = {
  country: 'BRA',
  state: 'SP',
  city: 'São Paulo',
  zipCode: '01310-100',
  streetAddress: 'Avenida Paulista',
};
const profile = { fullName: 'Ana Beatriz Lima', dateOfBirth: '1990-01-31', phone: '+5511999990000' };
const email = `ana.${person.cpf}@example.com`;

// What later calls need of earlier ones.
let quoteId = '';
let customerId = '';
let swapId = '';
let transferId = '';
let transactions: readonly Schemas['TransactionItem'][] = [];
let kycUserId = '';

const calls: Calls = {
  'GET /health': () => api.GET('/health'),
  'GET /health/live': () => api.GET('/health/live'),
  'GET /health/ready': () => api.GET('/health/ready'),
  'GET /customers/me': async () => {
    const response = await member.GET('/customers/me');
    customerId = expected(response.data).id;
    return response;
  },
  'GET /customers/{id}/tokens': () => member.GET('/customers/{id}/tokens', { params: { path: { id: customerId } } }),
  'GET /customers/{id}/token-groups': () =>
    member.GET('/customers/{id}/token-groups', { params: { path: { id: customerId } } }),

  'GET /v2/swap/quote': async () => {
    const response = await api.GET('/v2/swap/quote', { params: { query: swap } });
    quoteId = expected(response.data).quote.quoteId;
    return response;
  },
  'POST /v2/swap/bytecode': async () => {
    const response = await api.POST('/v2/swap/bytecode', { body: { quoteId, ...parties } });
    swapId = expected(response.data).id;
    return response;
  },
  'GET /v2/swap/status/{id}': () => api.GET('/v2/swap/status/{id}', { params: { path: { id: swapId } } }),
  'GET /swap/quote': async () => {
    const response = await api.GET('/swap/quote', { params: { query: swap } });
    quoteId = expected(response.data).quote.quoteId;
    return response;
  },
  'POST /swap/bytecode': () => api.POST('/swap/bytecode', { body: { quoteId, ...parties } }),
  'GET /swap/status/{id}': () => api.GET('/swap/status/{id}', { params: { path: { id: quoteId } } }),

  'GET /transfer/bytecode': () =>
    api.GET('/transfer/bytecode', {
      params: { query: { ...transfer, destinationAddress: person.walletAddress } },
    }),
  'POST /transfer/bytecode': async () => {
    const body = { ...transfer, destinationAddress: person.otherWallet };
    const response = await api.POST('/transfer/bytecode', { body });
    ({ id: transferId, transactionData: transactions } = expected(response.data));
    return response;
  },
  'GET /actions': () => api.GET('/actions', { params: { query: { walletAddress: wallet, sortOrder: 'desc' } } }),
  'GET /actions/{id}': () => api.GET('/actions/{id}', { params: { path: { id: transferId } } }),
  'POST /actions/{id}/transactions': async () => {
    const [call] = transactions;
    const txHash = await send(expected(call));
    return api.POST('/actions/{id}/transactions', { params: { path: { id: transferId } }, body: { txHash } });
  },
  'POST /actions/{id}/refund': () =>
    api.POST('/actions/{id}/refund', { params: { path: { id: transferId } }, body: {} }),

  'GET /v2/wallets/{address}': () =>
    api.GET('/v2/wallets/{address}', {
      params: { path: { address: wallet }, query: { include: 'tokens', limit: 5, sortOrder: 'asc' } },
    }),
  'GET /strategies': () => api.GET('/strategies', { params: { query: { detail: 'FULL' } } }),
  'GET /v2/strategies': () => api.GET('/v2/strategies', { params: { query: { network: chain.slug, limit: 2 } } }),
  'GET /strategies/{strategyId}': () => api.GET('/strategies/{strategyId}', { params: { path: { strategyId } } }),
  'GET /v2/strategies/{strategyId}': () => api.GET('/v2/strategies/{strategyId}', { params: { path: { strategyId } } }),

  'GET /strategies/{id}/bytecode': () =>
    api.GET('/strategies/{id}/bytecode', {
      params: { path: { id: strategyId }, query: { action: 'lend', wallet, amount: '1000000' } },
    }),
  'GET /wallets/{wallet}/history/{strategyId}': () =>
    api.GET('/wallets/{wallet}/history/{strategyId}', { params: { path: { wallet, strategyId } } }),
  'GET /strategies/{id}/status': () =>
    api.GET('/strategies/{id}/status', { params: { path: { id: strategyId }, query: { wallet } } }),
  'GET /actions/{id}/cancel': () =>
    api.GET('/actions/{id}/cancel', { params: { path: { id: transferId }, query: { wallet } } }),

  'POST /smart-account': () => api.POST('/smart-account', { body: { owner: wallet, chainId: chain.chainId } }),

  'POST /api/v1/kyc/sessions': async () => {
    const { cpf, walletAddress } = person;
    const response = await api.POST('/api/v1/kyc/sessions', { body: { cpf, email, walletAddress } });
    ({ kycUserId } = expected(response.data));
    return response;
  },
  'POST /api/v1/kyc/sessions/{kycUserId}/submit': () =>
    api.POST('/api/v1/kyc/sessions/{kycUserId}/submit', {
      params: { path: { kycUserId } },
      body: {
        applicant: profile,
        address,
        documents: {
          documentType: 'RG',
          front: person.image,
          back: person.image,
          attestation: {
            provider: 'documents',
            extracted: { fullName: profile.fullName, birthDate: profile.dateOfBirth, cpf: person.cpf },
          },
        },
        liveness: {
          image: person.image,
          attestation: { provider: 'faces', status: 'SUCCEEDED', confidence: 98.5 },
        },
      },
    }),
  'GET /api/v1/kyc/status': async () => {
    const poll = () => api.GET('/api/v1/kyc/status', { params: { query: { kycUserId } } });
    let response = await poll();
    for (let tries = 0; response.data?.status !== 'approved' && tries < 100; tries += 1) {
      await wait(200);
      response = await poll();
    }
    return response;
  },
  'POST /api/v1/kyc/currency-unlock': () =>
    api.POST('/api/v1/kyc/currency-unlock', {
      body: {
        kycUserId,
        currency: 'USD',
        bankAccountNumber: '000123456789',
        bankRoutingNumber: '021000021',
        bankName: 'JPMorgan Chase',
        bankBeneficiaryName: profile.fullName,
        beneficiaryStreetLine1: '1 Main Street',
        beneficiaryCity: 'New York',
        beneficiaryState: 'NY',
        beneficiaryPostalCode: '10001',
        beneficiaryCountry: 'USA',
      },
    }),
  'GET /api/v1/limits': () => api.GET('/api/v1/limits', { params: { query: { kycUserId } } }),
  'POST /api/v1/kyc/{kycUserId}/wallets': () =>
    api.POST('/api/v1/kyc/{kycUserId}/wallets', {
      params: { path: { kycUserId } },
      body: { walletAddress: person.otherWallet },
    }),
  'GET /api/v1/kyc/{kycUserId}/wallets': () =>
    api.GET('/api/v1/kyc/{kycUserId}/wallets', { params: { path: { kycUserId } } }),
  'DELETE /api/v1/kyc/{kycUserId}/wallets/{walletAddress}': () =>
    api.DELETE('/api/v1/kyc/{kycUserId}/wallets/{walletAddress}', {
      params: { path: { kycUserId, walletAddress: person.otherWallet } },
    }),
  'POST /api/v1/kyc/sessions/{kycUserId}/documents': async () => {
    const params = { path: { kycUserId } };
    const submission = {
      rampProvider: 'secondary',
      firstName: 'Ana Beatriz',
      lastName: 'Lima',
      email,
      phone: profile.phone,
      dateOfBirth: profile.dateOfBirth,
      taxId: person.cpf,
      taxIdCountry: 'BRA',
      address,
    };
    expected((await api.POST('/api/v1/kyc/sessions/{kycUserId}/submit', { params, body: submission })).data);
    return api.POST('/api/v1/kyc/sessions/{kycUserId}/documents', {
      params,
      body: {
        rampProvider: 'secondary',
        documentType: 'NATIONAL_ID',
        documentSide: 'FRONT',
        country: 'BRA',
        file: person.image,
      },
    });
  },
};

/** Calls that must not compile: the types describe the API, and do not accept everything. */
export const REFUSED = [
  // @ts-expect-error a call of a route is missing
  (): Calls => ({ 'GET /health': () => api.GET('/health') }),
  // @ts-expect-error the route does not exist
  () => api.GET('/v2/swap/quotes'),
  // @ts-expect-error a required parameter is missing
  () => api.GET('/actions', { params: { query: {} } }),
  // @ts-expect-error the body has a value outside the enum
  () => api.POST('/api/v1/kyc/currency-unlock', { body: { kycUserId, currency: 'EUR' } }),
  // @ts-expect-error the response has no such field
  async () => (await api.GET('/actions/{id}', { params: { path: { id: '' } } })).data?.unknown,
];

/** Sends a transaction from the wallet, whose key the node has. Resolves to its hash when it is mined. */
async function send({ to, data, value = '0' }: Schemas['TransactionItem']): Promise<string> {
  const transaction = { from: wallet, to, data, value: `0x${BigInt(value).toString(16)}` };
  const hash = expected(await request<string>('eth_sendTransaction', [transaction]));
  while (!(await request<object>('eth_getTransactionReceipt', [hash]))) await wait(50);
  return hash;
}

/** A request of the node. */
async function request<Result>(method: string, params: readonly unknown[]): Promise<Result | null | undefined> {
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { readonly result?: Result | null }).result;
}

function expected<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new Error('the call returned an error');
  return value;
}

async function callAll(): Promise<void> {
  for (const [route, call] of Object.entries(calls)) {
    const { data, error, response } = await call();
    process.stdout.write(`${JSON.stringify({ route, status: response.status, body: data ?? error })}\n`);
  }
}

void callAll();
