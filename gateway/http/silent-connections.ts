import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections on which nothing was asked yet. A server that closes waits for them as for those that are busy, and clients
 * open some ahead of need.
 */
export function watchSilentConnections(server: Server): { readonly hangUp: () => void } {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
  return { hangUp: () => silent.forEach((socket) => socket.destroy()) };
}
