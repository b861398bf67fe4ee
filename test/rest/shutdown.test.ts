import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ACTION, type Edge, KEY, QUOTE_ID, startEdge } from './edge';

/** Longer than a test: only a cure of the cause ends a connection before it. */
const FOREVER_MS = 600_000;

interface Received {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

const agents: Agent[] = [];
const keepAlive = (): Agent => {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  return agent;
};
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

async function open(edge: Edge, path: string, agent: Agent): Promise<IncomingMessage> {
  const sent = get(edge.url + path, { agent, headers: { 'x-api-key': KEY } });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function receive(edge: Edge, path: string, agent: Agent): Promise<Received> {
  const response = await open(edge, path, agent);
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, connection: response.headers.connection };
}

async function untilRefused(edge: Edge): Promise<void> {
  const isAccepted = (): Promise<boolean> =>
    receive(edge, '/health/live', keepAlive()).then(
      () => true,
      () => false,
    );
  while (await isAccepted()) await wait(5);
}

describe('a gateway that is stopped', () => {
  it('drains: readiness is 503 while requests are still served, each on its last connection', async () => {
    let endDrain = (): void => undefined;
    const drained = new Promise<void>((resolve) => (endDrain = resolve));
    const waits: number[] = [];
    const waitForDrain = (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      return drained;
    };
    const edge = await startEdge({ config: { SHUTDOWN_DRAIN_MS: 1234 }, waitForDrain });
    const warm = keepAlive();
    expect(await receive(edge, '/health/ready', warm)).toEqual({ status: 200, connection: 'keep-alive' });
    const closed = edge.close();
    expect(await receive(edge, '/health/ready', warm)).toEqual({ status: 503, connection: 'close' });
    expect(await receive(edge, '/health/live', keepAlive())).toEqual({ status: 200, connection: 'close' });
    expect(await receive(edge, `/actions/${QUOTE_ID}`, keepAlive())).toEqual({ status: 200, connection: 'close' });
    expect(waits).toEqual([1234]);
    endDrain();
    await closed;
    await expect(receive(edge, '/health/live', keepAlive())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('completes fifty requests on fresh and warm connections', async () => {
    let started = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const edge = await startEdge({
      config: { RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: 1000 },
      roots: {
        'Query.action': async () => {
          started += 1;
          await released;
          return ACTION;
        },
      },
    });
    const warm = Array.from({ length: 25 }, keepAlive);
    await Promise.all(warm.map((agent) => receive(edge, '/health/live', agent)));
    const running = [...warm, ...Array.from({ length: 25 }, keepAlive)].map((agent) =>
      receive(edge, `/actions/${QUOTE_ID}`, agent),
    );
    while (started < running.length) await wait(5);
    const closed = edge.close();
    await untilRefused(edge); // the drain has ended
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(50).fill(200));
    await closed;
  });

  it('ends an open event stream, and does not wait for the client to leave its connection', async () => {
    const edge = await startEdge({
      config: { REQUEST_TIMEOUT_MS: FOREVER_MS },
      roots: {
        'Subscription.ticks': async function* () {
          yield 1;
          await new Promise(() => undefined);
        },
      },
    });
    const sent = request(`${edge.url}/graphql`, {
      method: 'POST',
      agent: keepAlive(),
      headers: { 'x-api-key': KEY, 'content-type': 'application/json', accept: 'text/event-stream' },
    });
    sent.end(JSON.stringify({ query: 'subscription { ticks(count: 1) }' }));
    const [stream] = (await once(sent, 'response')) as [IncomingMessage];
    const events: string[] = [];
    stream.setEncoding('utf8').on('data', (text: string) => events.push(text));
    await once(stream, 'data');
    const ended = once(stream, 'end');
    await edge.close();
    await ended;
    expect(events.join('')).toContain('event: complete');
  });

  it('does not wait for connections that are idle, or never had a request', async () => {
    const edge = await startEdge({ config: { REQUEST_TIMEOUT_MS: FOREVER_MS } });
    await receive(edge, '/health/live', keepAlive());
    const { hostname, port } = new URL(edge.url);
    const unused = connect(Number(port), hostname);
    await once(unused, 'connect');
    await edge.close();
    unused.destroy();
  });
});
