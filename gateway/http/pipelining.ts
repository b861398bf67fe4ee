import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Handles the requests of a connection one after the other, as their responses are sent. A client that sends hundreds of
 * them at once, and perhaps reads no response, causes the work of one.
 */
export function takePipelinedInTurn(app: FastifyInstance): void {
  /** Later requests of the connections that have a request in progress. */
  const waiting = new WeakMap<Socket, (() => void)[]>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const begin = (): void => {
      reply.raw.once('close', () => {
        const next = socket.destroyed ? undefined : waiting.get(socket)?.shift();
        if (next === undefined) waiting.delete(socket);
        else next();
      });
      done();
    };
    const queue = waiting.get(socket);
    if (queue !== undefined) {
      queue.push(begin);
      return;
    }
    waiting.set(socket, []);
    begin();
  });
}
