import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buildSchema, parse } from 'graphql';
import { createHttpClient } from '../../src/http/http-client';
import { createRequestContext } from '../../src/auth/request-context';
import { tracedGuards } from '../../src/main/traced-guards';
import type { OpenTracer } from '../../src/telemetry/tracing/open-tracer';
import { createProviderGuards } from '../../src/venues/provider-guards';
import { httpTransport } from '../../gateway/federation/subgraph/subgraph-transport';
import { serveSubgraph } from '../../gateway/federation/subgraph/serve-subgraph';
import { tracedTransport } from '../../gateway/federation/subgraph/traced-transport';
import { ACTION, type Edge, QUOTE_ID, startEdge, WALLET } from '../rest/edge';
import { startTraceReceiver, type TraceReceiver, tracerTo } from './trace-receiver';

const SECRET = 'cd'.repeat(32);
const TRANSFER = { id: QUOTE_ID, chainId: 8453, transactionData: [], bytecode: [] };

let receiver: TraceReceiver;
let tracer: OpenTracer;
let thirdParty: Server;
let seen: IncomingHttpHeaders[];
beforeEach(async () => {
  receiver = await startTraceReceiver();
  tracer = tracerTo(receiver.endpoint);
  seen = [];
  thirdParty = createServer((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  thirdParty.listen(0, '127.0.0.1');
  await once(thirdParty, 'listening');
});
afterEach(async () => {
  await tracer.close();
  thirdParty.closeAllConnections();
  thirdParty.close();
  await receiver.close();
});

/** Calls a third party behind the guards of providers. */
function provider(): { call(): Promise<unknown>; close(): Promise<void> } {
  const guards = tracedGuards(tracer, createProviderGuards({ concurrency: 1 }));
  const http = createHttpClient({ baseUrl: `http://127.0.0.1:${String((thirdParty.address() as AddressInfo).port)}` });
  return {
    call: () => guards.run('alpha', () => http.get('/quote', {}, AbortSignal.timeout(5000)), { chains: '1' }),
    close: () => http.close(),
  };
}

async function withEdge(work: (edge: Edge) => Promise<void>): Promise<void> {
  const alpha = provider();
  const edge = await startEdge({
    tracer,
    roots: {
      'Query.action': () => alpha.call().then(() => ACTION),
      'Mutation.createTransfer': () => alpha.call().then(() => TRANSFER),
    },
  });
  try {
    await work(edge);
  } finally {
    await edge.close();
    await alpha.close();
    await tracer.close();
  }
}

test('a request and its calls to providers are one trace, also behind a body and in the queue of a provider', async () => {
  await withEdge(async (edge) => {
    const body = JSON.stringify({
      chainId: 1,
      token: WALLET,
      amount: '5',
      originAddress: WALLET,
      destinationAddress: WALLET,
    });
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const responses = [edge.fetch(`/actions/${QUOTE_ID}`), edge.fetch('/transfer/bytecode', post)];
    for (const response of await Promise.all(responses)) await response.text();
  });
  const calls = receiver.spans.filter(({ name }) => name === 'provider alpha');
  const roots = ['GET /actions/:id', 'POST /transfer/bytecode'].map((name) => receiver.find(name));
  expect(roots[0]!.attributes).toMatchObject({ 'http.route': '/actions/:id', 'http.response.status_code': 200 });
  expect(calls).toHaveLength(2);
  const parents = calls.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId ?? ''}`);
  expect(parents.toSorted()).toEqual(roots.map(({ traceId, spanId }) => `${traceId} ${spanId}`).toSorted());
});

test('third parties get no header of a trace, and a caller decides on no id of one', async () => {
  const sent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  await withEdge(async (edge) => {
    const headers = { traceparent: sent, tracestate: 'a=b', baggage: 'canary=1' };
    await (await edge.fetch(`/actions/${QUOTE_ID}`, { headers })).text();
  });
  expect(seen).toHaveLength(1);
  for (const name of ['traceparent', 'tracestate', 'baggage', 'b3']) expect(seen[0]).not.toHaveProperty(name);
  expect(receiver.find('GET /actions/:id').traceId).not.toBe('ab'.repeat(16));
});

test('traces have no path, query, address, key, body, request id or address of a caller; health is not traced', async () => {
  await withEdge(async (edge) => {
    await (await edge.fetch(`/actions?walletAddress=${WALLET}&pixKey=maria@example.com`)).text();
    await (await edge.fetch('/canary/maria@example.com', { headers: { 'x-request-id': 'canary-id' } })).text();
    await (await edge.fetch('/health')).text();
  });
  expect(receiver.find('GET unknown').attributes).toMatchObject({ 'http.response.status_code': 404 });
  for (const canary of [WALLET, 'maria', 'canary', 'sk_live', '127.0.0.1', '/health']) {
    expect(receiver.text()).not.toContain(canary);
  }
});

test('a trace goes on in the process of a subgraph, for requests of the gateway alone', async () => {
  const schema = buildSchema('type Query { ping: Boolean }');
  const options = { schema, internalSecret: SECRET, host: '127.0.0.1', port: 0, tracer };
  const subgraph = await serveSubgraph(options);
  const transport = httpTransport(subgraph.url, { timeoutMs: 5000, internalSecret: SECRET, tracer });
  const call = tracedTransport(transport, { subgraph: 'swaps', tracer }).compile(
    '{ ping }',
    parse('{ ping }'),
    'query',
  );
  const context = createRequestContext({
    requestId: 'one',
    principal: undefined,
    signal: new AbortController().signal,
  });
  const root = tracer.start({ name: 'root', kind: 'server' });
  await tracer.within(root, () => call({}, context));
  root.end({ failed: false });
  const unsigned = { method: 'POST', body: '{"query":"{ping}"}', headers: { traceparent: root.traceparent } };
  expect((await fetch(subgraph.url, unsigned)).status).toBe(401);
  await transport.close?.();
  await subgraph.close();
  await tracer.close();
  expect(receiver.find('subgraph swaps')).toMatchObject({
    parentSpanId: receiver.find('root').spanId,
    attributes: { 'afluente.subgraph': 'swaps' },
  });
  const served = receiver.spans.filter(({ name }) => name === 'subgraph request');
  expect(served).toMatchObject([{ parentSpanId: receiver.find('subgraph swaps').spanId }]);
});
