import { connect } from 'node:net';
import { createPrometheusMetrics, type PrometheusMetrics } from '../../src/telemetry/metrics/prometheus';
import { serviceError } from '../../src/errors/service-error';
import { until } from '../resilience/until';
import { type Edge, KEY, QUOTE_ID, startEdge } from '../rest/edge';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const PIX_KEY = 'maria.silva@example.com';

let metrics: PrometheusMetrics;
let edge: Edge;
beforeEach(async () => {
  metrics = createPrometheusMetrics({ log: { warn: () => undefined } });
  edge = await startEdge({
    metrics,
    roots: {
      'Query.action': ({ id }, { signal }) =>
        id === QUOTE_ID
          ? new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(serviceError('SUBREQUEST_TIMEOUT')));
            })
          : Promise.reject(new Error('a bug')),
    },
  });
});
afterEach(() => edge.close());

const graphql = (query: string, headers = {}): Promise<Response> =>
  edge.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });

/** The value of a series; `undefined` without it. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await metrics.render()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Waits until a series has the value: a request is measured after its response has been sent. */
const expectValue = async (series: string, value: number): Promise<void> => {
  await until(`${series} is ${String(value)}`, async () => (await valueOf(series)) === value);
};

const requests = (method: string, route: string, status: string): string =>
  `afluente_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test('a request is measured by the pattern of its route and the class of its status', async () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8058';
  await (await edge.fetch(`/v2/swap/status/${id}`)).text();
  await (await edge.fetch(`/actions/${id}`)).text();
  await (await edge.fetch(`/actions/not-an-id`)).text();
  await expectValue(requests('GET', '/v2/swap/status/:id', '2xx'), 1);
  await expectValue(requests('GET', '/actions/:id', '5xx'), 1);
  await expectValue(requests('GET', '/actions/:id', '4xx'), 1);
});

test('a request whose caller disconnects counts as aborted', async () => {
  const { hostname, port } = new URL(edge.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /actions/${QUOTE_ID} HTTP/1.1\r\nHost: a\r\nx-api-key: ${KEY}\r\n\r\n`);
  await until('the request was admitted', () => edge.charges.length > 0);
  socket.destroy();
  await expectValue(requests('GET', '/actions/:id', 'aborted'), 1);
});

test('nothing that callers choose is in the metrics: no path, id, address, key, document, method or request id', async () => {
  const hostile = [`/users/${WALLET}`, `/${PIX_KEY}`, `/actions?walletAddress=${WALLET}&pixKey=${PIX_KEY}`];
  for (const path of hostile) await (await edge.fetch(path, { headers: { 'x-request-id': 'canary-request' } })).text();
  await (await edge.fetch('/health', { method: 'PROPFIND' })).text();
  await (await graphql(`query Canary { me { id } alias${WALLET}: ping }`)).text();
  await (await graphql(`{ ${PIX_KEY} }`)).text();
  await expectValue(requests('other', 'unknown', '4xx'), 1);
  await expectValue(requests('GET', 'unknown', '4xx'), 2);
  const text = await metrics.render();
  for (const canary of [
    WALLET,
    PIX_KEY,
    'maria',
    'canary',
    'Canary',
    'PROPFIND',
    KEY,
    QUOTE_ID,
    'customer=',
    '127.0.0.1',
  ]) {
    expect(text).not.toContain(canary);
  }
});

test('operations of GraphQL are measured by type and outcome, and their root fields counted with their aliases', async () => {
  await (await graphql('{ one: ping two: ping me { id } }')).text();
  await (await graphql('{ ping unknownField }')).text();
  const count = 'afluente_graphql_operation_duration_seconds_count';
  await expectValue(`${count}{type="query",outcome="ok"}`, 1);
  await expectValue(`${count}{type="query",outcome="refused"}`, 1);
  await expectValue('afluente_graphql_root_fields_total{field="Query.ping"}', 2);
  await expectValue('afluente_graphql_root_fields_total{field="Query.me"}', 1);
});

test('an event stream is counted when it ends, and its duration is not that of a request', async () => {
  await (await graphql('subscription { ticks(count: 2) }', { accept: 'text/event-stream' })).text();
  await expectValue('afluente_http_event_streams_total{status="2xx"}', 1);
  expect(await valueOf(requests('POST', '/graphql', '2xx'))).toBeUndefined();
  await expectValue('afluente_graphql_root_fields_total{field="Subscription.ticks"}', 1);
});
