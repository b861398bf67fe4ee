import { setTimeout as wait } from 'node:timers/promises';
import { trackConnections } from '../../src/http/server-connections';
import { limitUnreadResponses } from '../../src/http/unread-responses';
import { refundUnserved } from '../edge/count-request';
import { mountRoutes } from '../rest/mount-routes';
import { ROUTES } from '../rest/route-table';
import { endConnectionsWhileStopping, type ServerPhase } from './closing';
import { createApp } from './create-app';
import type { GatewayDependencies } from './gateway-dependencies';
import { mountGraphql } from './graphql/mount-graphql';
import { mountHealthRoutes } from './health-routes';
import { refuseUnknownPaths } from './not-found';
import { mountDocs } from './pages/mount-docs';
import { mountOverview } from './pages/mount-overview';
import { mountPaymentQrCode } from './payment-qr-code';
import { mountRampCallbacks } from './ramp-callbacks';

/** Serves REST, GraphQL, health and documentation on one port. */
export interface GatewayServer {
  /** Resolves to the base URL once requests are served. Rejects with EADDRINUSE when the port is in use. */
  listen(): Promise<string>;
  /**
   * Reports unready and serves on for SHUTDOWN_DRAIN_MS, so that load balancers stop sending requests; then closes the port,
   * finishes the running requests and ends open streams.
   */
  close(): Promise<void>;
}

export function createGatewayServer(deps: GatewayDependencies): GatewayServer {
  const { HOST: host, PORT: port, SHUTDOWN_DRAIN_MS: drainMs, REQUEST_TIMEOUT_MS: timeoutMs } = deps.config;
  const { waitForDrain = wait } = deps;
  let phase: ServerPhase = 'serving';
  let stop: (() => Promise<void>) | undefined;
  return {
    async listen() {
      const app = await createApp(deps);
      const connections = trackConnections(app.server);
      limitUnreadResponses(app.server);
      endConnectionsWhileStopping(app, () => phase);
      refundUnserved(app);
      refuseUnknownPaths(app, deps);
      mountHealthRoutes(app, deps.health, () => phase === 'serving');
      mountOverview(app);
      mountDocs(app, deps);
      mountPaymentQrCode(app, deps);
      await mountRampCallbacks(app, deps);
      const graphql = await mountGraphql(app, deps);
      mountRoutes(app, deps, ROUTES);
      stop = async () => {
        graphql.closeStreams();
        const closed = app.close();
        // Every request ends within its deadline; connections that are still open after that are destroyed.
        const endChecks = connections.endWhenIdle(timeoutMs);
        await closed;
        endChecks();
        await graphql.stop();
      };
      return app.listen({ host, port });
    },
    async close() {
      if (phase !== 'serving' || stop === undefined) return;
      phase = 'draining';
      await waitForDrain(drainMs);
      phase = 'closing';
      await stop();
    },
  };
}
