import { setTimeout as wait } from 'node:timers/promises';
import Fastify from 'fastify';
import type { HealthCheck } from './gateway-dependencies';
import { mountHealthRoutes } from './health-routes';

export interface HealthServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly health: HealthCheck;
  /** Time for which readiness is 503 before the port closes. */
  readonly drainMs: number;
}

/** Serves the health routes alone, for a process that serves no requests of callers. */
export async function serveHealth({ host, port, health, drainMs }: HealthServerOptions): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const app = Fastify({ return503OnClosing: false, forceCloseConnections: true });
  let isOpen = true;
  mountHealthRoutes(app, health, () => isOpen);
  return {
    url: await app.listen({ host, port }),
    async close() {
      isOpen = false;
      await wait(drainMs);
      await app.close();
    },
  };
}
