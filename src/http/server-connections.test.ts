import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { trackConnections } from './server-connections';

/** Longer than a test: only an idle connection that is ended lets the server close. */
const FOREVER_MS = 600_000;

let agent: Agent;
beforeEach(() => {
  agent = new Agent({ keepAlive: true });
});
afterEach(() => agent.destroy());

async function serve(handle: (response: ServerResponse) => void, options?: Parameters<typeof trackConnections>[1]) {
  const server = createServer({ keepAliveTimeout: FOREVER_MS }, (_request, response) => handle(response));
  const connections = trackConnections(server, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, connections, port: (server.address() as AddressInfo).port };
}

async function close(server: Server, { endWhenIdle }: ReturnType<typeof trackConnections>, limitMs = FOREVER_MS) {
  const closed = once(server, 'close');
  server.close();
  const endChecks = endWhenIdle(limitMs);
  await closed;
  endChecks();
}

describe('a closing server', () => {
  it('ends a connection whose response completes after the server stopped listening', async () => {
    let streamed: ServerResponse | undefined;
    const { server, connections, port } = await serve((response) => {
      response.writeHead(200).flushHeaders();
      streamed = response;
    });
    const [response] = (await once(get({ port, agent }), 'response')) as [IncomingMessage];
    const ended = once(response.resume(), 'end');
    const closed = close(server, connections);
    await wait(120);
    streamed?.end('the last event');
    await Promise.all([ended, closed]);
  });

  it('serves a request that arrives on a new connection just after it stopped listening', async () => {
    const { server, connections, port } = await serve((response) => void response.end('served'), {
      firstRequestMs: FOREVER_MS,
    });
    const socket = connect(port, '127.0.0.1');
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    const closed = close(server, connections);
    await wait(120);
    socket.end('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toContain('served');
    await closed;
  });

  it('ends connections without a request, and after the limit those with a running one', async () => {
    const { server, connections, port } = await serve(() => undefined);
    const [unused, running] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    running.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await Promise.all([once(unused, 'connect'), once(server, 'request')]);
    await Promise.all([close(server, connections, 700), once(unused, 'close'), once(running, 'close')]);
  });
});
