import { Pool } from 'undici';
import { exactly, type Figure, none, reportFigures } from './figures';
import { PATH } from './load';
import type { Scenario, ScenarioSetup } from './scenario';
import { startService } from './service-process';

const PER_MINUTE = 100;
const REQUESTS = 1000;
/** Requests at a time, to each of the two processes. */
const CONNECTIONS = 25;
/** Most fields of the root type that a document may have. */
const MAX_ROOT_FIELDS = 40;

/** Limits of a key, which no number of processes and no GraphQL document may exceed. */
export const LIMITS: readonly Scenario[] = [
  {
    name: 'a thousand requests of a key with a hundred a minute, over two processes',
    run: (setup) => withTwoServices(setup, async (pools, apiKey) => reportFigures(await sendAll(pools, apiKey))),
  },
  {
    name: 'each root field of a GraphQL document counts as a request, over two processes',
    run: (setup) => withTwoServices(setup, async (pools, apiKey) => reportFigures(await sendAliases(pools, apiKey))),
  },
];

type Pools = readonly [Pool, Pool];

/** Two processes with one database, and a new customer with this limit. */
async function withTwoServices<Result>(
  setup: ScenarioSetup,
  work: (pools: Pools, apiKey: string) => Promise<Result>,
): Promise<Result> {
  const apiKey = await setup.createCustomer(`limited ${String(Date.now())}`, '--per-minute', String(PER_MINUTE));
  const start = () => startService({ ...setup.settings, ROLE: 'gateway' });
  const services = await Promise.all([start(), start()]);
  const open = ({ url }: { readonly url: string }): Pool => new Pool(url, { connections: CONNECTIONS });
  const pools: Pools = [open(services[0]), open(services[1])];
  try {
    return await work(pools, apiKey);
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all(services.map((service) => service.stop()));
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

interface Reply {
  /** The code of the refusal, or the number of fields that have a value. */
  readonly outcome: string;
  /** Requests that are left of the minute. */
  readonly remaining: number;
}

async function sendAliases([one, other]: Pools, apiKey: string): Promise<readonly Figure[]> {
  const send = (pool: Pool, fields: number): Promise<Reply> => sendDocument(pool, { apiKey, fields });
  const first = await send(one, MAX_ROOT_FIELDS);
  const tooMany = await send(other, MAX_ROOT_FIELDS + 1);
  const second = await send(other, MAX_ROOT_FIELDS);
  const third = await send(one, MAX_ROOT_FIELDS);
  return [
    exactly('fields that the first document returned', Number.parseInt(first.outcome, 10), MAX_ROOT_FIELDS),
    exactly('requests left after it', first.remaining, PER_MINUTE - MAX_ROOT_FIELDS),
    none('documents with one field more that were executed', tooMany.outcome === 'DOCUMENT_LIMIT_EXCEEDED' ? 0 : 1),
    exactly('requests left after that: its HTTP request counts', tooMany.remaining, PER_MINUTE - MAX_ROOT_FIELDS - 1),
    exactly('fields that the second document returned', Number.parseInt(second.outcome, 10), MAX_ROOT_FIELDS),
    exactly('requests left after it', second.remaining, PER_MINUTE - 2 * MAX_ROOT_FIELDS - 1),
    none('documents above the rest that were executed', third.outcome === 'RATE_LIMIT_EXCEEDED' ? 0 : 1),
  ];
}

interface Document {
  readonly apiKey: string;
  readonly fields: number;
}

async function sendDocument(pool: Pool, { apiKey, fields }: Document): Promise<Reply> {
  const query = `{ ${Array.from({ length: fields }, (_, index) => `field${String(index)}: __typename`).join(' ')} }`;
  const { headers, body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await body.json()) as GraphqlBody;
  return {
    outcome: errors?.[0]?.extensions?.code ?? String(Object.keys(data ?? {}).length),
    remaining: Number.parseInt(String(headers['x-ratelimit-remaining']), 10),
  };
}

interface GraphqlBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}
