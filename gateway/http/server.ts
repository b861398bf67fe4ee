import { mountRoutes } from '../rest/mount-routes';
import { ROUTES } from '../rest/route-table';
import { refuseWhileClosing } from './closing';
import { createApp } from './create-app';
import type { GatewayDependencies } from './dependencies';
import { mountGraphql } from './graphql/mount-graphql';
import { mountHealthRoutes } from './health-routes';
import { answerUnknownPaths } from './not-found';
import { mountDocs } from './pages/mount-docs';
import { mountPaymentQrCode } from './payment-qr-code';
import { mountRampCallbacks } from './ramp-callbacks';
import { watchSilentConnections } from './silent-connections';

/** The edge: REST, GraphQL, health and documentation on one port. */
export interface GatewayServer {
  /** Resolves to the base URL once requests are served. Rejects with EADDRINUSE when the port is taken. */
  listen(): Promise<string>;
  /** Takes no further requests, finishes those that run, and ends open streams. */
  close(): Promise<void>;
}

export function createGatewayServer(deps: GatewayDependencies): GatewayServer {
  let isClosing = false;
  let stop: (() => Promise<void>) | undefined;
  return {
    async listen() {
      const app = await createApp(deps);
      const silent = watchSilentConnections(app.server);
      refuseWhileClosing(app, () => isClosing);
      answerUnknownPaths(app, deps);
      mountHealthRoutes(app, deps, () => isClosing);
      mountDocs(app, deps);
      mountPaymentQrCode(app, deps);
      await mountRampCallbacks(app, deps);
      const graphql = await mountGraphql(app, deps);
      await mountRoutes(app, deps, ROUTES);
      stop = async () => {
        // Every request ends by itself within its time; what is left after that is hung up on.
        const hangUp = setTimeout(() => app.server.closeAllConnections(), deps.config.REQUEST_TIMEOUT_MS);
        graphql.closeStreams();
        silent.hangUp();
        await app.close();
        clearTimeout(hangUp);
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
