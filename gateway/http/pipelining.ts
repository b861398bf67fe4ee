import { AsyncResource } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Maximum number of requests that wait on one connection. */
const MAX_WAITING = 100;

/** Later requests of the connections that have a request in progress. */
const waiting = new WeakMap<Socket, (() => void)[]>();

/**
 * Handles the requests of a connection one after the other, as their responses are sent. A client that sends hundreds of
 * them at once, and perhaps reads no response, occupies the service with one request at a time. A connection with more
 * waiting requests is ended.
 *
 * It stands before the framework, whose first steps take several times as long: all requests of a packet arrive in one turn of
 * the event loop.
 */
export function handlePipelinedInTurn(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const begin = (): void => {
      response.once('close', () => {
        // Refusals need no I/O: those of a whole connection would all be sent in this turn of the event loop.
        if (waiting.get(socket)?.length === 0) waiting.delete(socket);
        else setImmediate(beginNext, socket);
      });
      handle(request, response);
    };
    const queue = waiting.get(socket);
    if (queue === undefined) {
      waiting.set(socket, []);
      begin();
    } else if (queue.length < MAX_WAITING) {
      queue.push(AsyncResource.bind(begin)); // it is called in the trace of the request before
    } else {
      socket.destroy();
    }
  };
}

function beginNext(socket: Socket): void {
  // A connection that is ending still has to send its last response: none is sent after it.
  const next = socket.writable ? waiting.get(socket)?.shift() : undefined;
  if (next === undefined) waiting.delete(socket);
  else next();
}

/**
 * Ends a connection after a request above its rate limit when others wait on it: they would be refused as well, one by one.
 */
export function endRefusedPipelines(app: FastifyInstance): void {
  app.addHook('onSend', ({ raw: { socket } }, reply, ...[payload, done]) => {
    if (reply.statusCode === 429 && (waiting.get(socket)?.length ?? 0) > 0) reply.header('connection', 'close');
    done(null, payload);
  });
}
