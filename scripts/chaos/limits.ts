import { Pool } from 'undici';
import { exactly, type Figure, none, reportFigures } from './figures';
import { PATH, WALLET } from './load';
import type { Scenario, ScenarioSetup } from './scenario';
import { startGateway } from './service-process';

const PER_MINUTE = 100;
const REQUESTS = 1000;
/** Requests at a time, to each of the two processes. */
const CONNECTIONS = 25;
/** Most fields of the root type that a document may have. */
const MAX_ROOT_FIELDS = 40;
const FIELD = `actions(walletAddress: "${WALLET}", limit: 1) { data { id } }`;

/** The rate limit of a key holds over two processes, and for each root field of a GraphQL document. */
export const LIMITS: readonly Scenario[] = [
  {
    name: 'a thousand requests of a key with a hundred a minute, over two processes',
    run: (setup) => withTwoServices(setup, async (pools, apiKey) => reportFigures(await sendAll(pools, apiKey))),
  },
  {
    name: 'each root field of a GraphQL document counts as a request, over two processes',
    run: (setup) => withTwoServices(setup, async (pools, apiKey) => reportFigures(await sendDocuments(pools, apiKey))),
  },
];

type Pools = readonly [Pool, Pool];

/** Two processes with one database, and a new customer with this limit. */
async function withTwoServices<Result>(
  setup: ScenarioSetup,
  work: (pools: Pools, apiKey: string) => Promise<Result>,
): Promise<Result> {
  const apiKey = await setup.createCustomer(`limited ${String(Date.now())}`, '--per-minute', String(PER_MINUTE));
  return withService(setup, (one) => withService(setup, (other) => work([one, other], apiKey)));
}

async function withService<Result>(setup: ScenarioSetup, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const service = await startGateway(setup.settings);
  const pool = new Pool(service.url, { connections: CONNECTIONS });
  try {
    return await work(pool);
  } finally {
    await Promise.allSettled([pool.destroy(), service.stop()]);
  }
}

async function sendAll(pools: Pools, apiKey: string): Promise<readonly Figure[]> {
  const requests = Array.from({ length: REQUESTS }, async (_, index) => {
    const { statusCode, body } = await pools[index % 2 === 0 ? 0 : 1].request({
      method: 'GET',
      path: PATH,
      headers: { 'x-api-key': apiKey },
    });
    await body.dump();
    return statusCode;
  });
  const statuses = await Promise.all(requests);
  const count = (status: number): number => statuses.filter((candidate) => candidate === status).length;
  return [
    exactly('requests that were served', count(200), PER_MINUTE),
    exactly('requests that were refused with 429', count(429), REQUESTS - PER_MINUTE),
    none('other responses', REQUESTS - count(200) - count(429)),
  ];
}

async function sendDocuments([one, other]: Pools, apiKey: string): Promise<readonly Figure[]> {
  const send = (pool: Pool, fields: number): Promise<Reply> => sendDocument(pool, { apiKey, fields });
  const first = await send(one, MAX_ROOT_FIELDS);
  const tooMany = await send(other, MAX_ROOT_FIELDS + 1);
  const second = await send(other, MAX_ROOT_FIELDS);
  const third = await send(one, MAX_ROOT_FIELDS);
  const left = PER_MINUTE - MAX_ROOT_FIELDS;
  return [
    exactly('response to a document with 40 root fields', first.outcome, 'data'),
    exactly('requests left after it', first.remaining, left),
    exactly('response to one with 41, of the other process', tooMany.outcome, 'DOCUMENT_LIMIT_EXCEEDED'),
    exactly('requests left after it: its HTTP request counts', tooMany.remaining, left - 1),
    exactly('response to one with 40, of the other process', second.outcome, 'data'),
    exactly('requests left after it', second.remaining, left - 1 - MAX_ROOT_FIELDS),
    exactly('response to a third one with 40, more than are left', third.outcome, 'RATE_LIMIT_EXCEEDED'),
  ];
}

interface Reply {
  /** The code of the first error, or `data` when every field has a value. */
  readonly outcome: string;
  /** Requests that are left of the minute. */
  readonly remaining: number;
}

interface Document {
  readonly apiKey: string;
  /** Number of root fields. */
  readonly fields: number;
}

async function sendDocument(pool: Pool, { apiKey, fields }: Document): Promise<Reply> {
  const query = `{ ${Array.from({ length: fields }, (_, index) => `field${String(index)}: ${FIELD}`).join(' ')} }`;
  const { headers, body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await body.json()) as GraphqlBody;
  const isComplete = Object.values(data ?? {}).filter((value) => value !== null).length === fields;
  return {
    outcome: errors?.[0]?.extensions?.code ?? (isComplete ? 'data' : 'data without a field'),
    remaining: Number.parseInt(String(headers['x-ratelimit-remaining']), 10),
  };
}

interface GraphqlBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}
