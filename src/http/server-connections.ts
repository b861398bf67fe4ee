import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Interval at which a closing server checks for connections that have become idle. */
const CHECK_MS = 50;
/** Time for the first request on a new connection, whose bytes may be in transit when the server closes. */
const FIRST_REQUEST_MS = 500;

/** The connections of an HTTP server, so that it can close while clients keep theirs open. */
export interface ServerConnections {
  /**
   * Ends each connection once its response is complete, and destroys those still open after `limitMs`. Requests that arrive
   * until then are served. Call it when the server no longer listens; the returned function stops it.
   *
   * Node closes idle connections once, when the server stops listening. A connection that becomes idle later, such as that of
   * an event stream, would keep the server open until its client leaves.
   */
  endWhenIdle(limitMs: number): () => void;
}

export function trackConnections(
  server: Server,
  { firstRequestMs = FIRST_REQUEST_MS }: { readonly firstRequestMs?: number } = {},
): ServerConnections {
  /** Connections without any request so far, with the time of their start. Clients open some ahead of need. */
  const unused = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    unused.set(socket, performance.now());
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  return {
    endWhenIdle(limitMs) {
      const closingAt = performance.now();
      const endIdle = (): void => {
        server.closeIdleConnections();
        const now = performance.now();
        for (const [socket, openedAt] of unused) if (now > openedAt + firstRequestMs) socket.destroy();
        if (now > closingAt + limitMs) server.closeAllConnections();
      };
      const timer = setInterval(endIdle, CHECK_MS);
      endIdle();
      return () => clearInterval(timer);
    },
  };
}
