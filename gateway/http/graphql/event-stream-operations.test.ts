import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Fastify, { type FastifyRequest } from 'fastify';
import { parse } from 'graphql';
import { createEventStreamHandler } from './event-stream-operations';

type Dependencies = Parameters<typeof createEventStreamHandler>[0];

describe('an event stream', () => {
  let closing: (() => Promise<void>) | undefined;
  afterEach(() => closing?.());

  it('does not begin for a client that left while its operation was prepared', async () => {
    const subscribe = jest.fn();
    let requested: (request: FastifyRequest) => void = () => undefined;
    const arrival = new Promise<FastifyRequest>((resolve) => (requested = resolve));
    const open = async (request: FastifyRequest) => {
      requested(request);
      await once(request.raw.socket, 'close');
      return { subscribe };
    };
    const documents = { parse };
    const heavyWork = { takeTurn: () => Promise.resolve() };
    const handler = createEventStreamHandler({ documents, open, heavyWork } as unknown as Dependencies);
    const app = Fastify({ forceCloseConnections: true });
    const ended = new Promise<unknown>((resolve) => {
      app.post('/graphql', (request, reply) => {
        const handled = handler.handle(request, reply);
        resolve(handled);
        return handled;
      });
    });
    closing = () => app.close();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const body = JSON.stringify({ query: '{ a }' });
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    const { raw } = await arrival;
    client.destroy();
    await ended;
    await wait(0);
    expect(raw.destroyed).toBe(true);
    expect(subscribe).not.toHaveBeenCalled();
  });
});
