import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { mountRoutes } from '../rest/mount-routes';
import { ROUTES } from '../rest/route-table';
import { refuseWhileClosing } from './closing';
import { createApp } from './create-app';
import type { GatewayDependencies } from './gateway-dependencies';
import { mountGraphql } from './graphql/mount-graphql';
import { mountHealthRoutes } from './health-routes';
import { refuseUnknownPaths } from './not-found';
import { mountDocs } from './pages/mount-docs';
import { mountPaymentQrCode } from './payment-qr-code';
import { mountRampCallbacks } from './ramp-callbacks';

/** Serves REST, GraphQL, health and documentation on one port. */
export interface GatewayServer {
  /** Resolves to the base URL once requests are served. Rejects with EADDRINUSE when the port is in use. */
  listen(): Promise<string>;
  /** Stops accepting requests, finishes the running ones, and ends open streams. */
  close(): Promise<void>;
}

export function createGatewayServer(deps: GatewayDependencies): GatewayServer {
  let isClosing = false;
  let stop: (() => Promise<void>) | undefined;
  return {
    async listen() {
      const app = await createApp(deps);
      const idle = trackIdleConnections(app.server);
      refuseWhileClosing(app, () => isClosing);
      refuseUnknownPaths(app, deps);
      mountHealthRoutes(app, deps, () => isClosing);
      mountDocs(app, deps);
      mountPaymentQrCode(app, deps);
      await mountRampCallbacks(app, deps);
      const graphql = await mountGraphql(app, deps);
      mountRoutes(app, deps, ROUTES);
      stop = async () => {
        // Every request ends within its deadline; connections that are still open after that are closed.
        const forceClose = setTimeout(() => app.server.closeAllConnections(), deps.config.REQUEST_TIMEOUT_MS);
        graphql.closeStreams();
        idle.destroyAll();
        await app.close();
        clearTimeout(forceClose);
        await graphql.stop();
      };
      return app.listen({ host: deps.config.HOST, port: deps.config.PORT });
    },
    async close() {
      isClosing = true;
      await stop?.();
    },
  };
}

/**
 * Tracks connections without any request so far. Clients open some ahead of need, and a closing server would wait for them
 * as for busy ones.
 */
function trackIdleConnections(server: Server): { readonly destroyAll: () => void } {
  const idle = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => idle.delete(socket));
  return { destroyAll: () => idle.forEach((socket) => socket.destroy()) };
}
