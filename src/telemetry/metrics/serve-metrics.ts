import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { PrometheusMetrics } from './prometheus';

export interface MetricsServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly metrics: Pick<PrometheusMetrics, 'render' | 'contentType'>;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A few scrapers: more connections are not accepted. */
const MAX_CONNECTIONS = 20;
const TIMEOUT_MS = 5000;
const PATH = '/metrics';

/** Serves `GET /metrics` on a port of its own, without credentials. Rejects with EADDRINUSE when the port is in use. */
export async function serveMetrics({ host, port, metrics }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, (request, response) => {
    respond(metrics, request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(server, host), close: () => close(server) };
}

async function respond(
  metrics: MetricsServerOptions['metrics'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== PATH) {
    end(response, 404);
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    end(response.setHeader('allow', 'GET, HEAD'), 405);
    return;
  }
  const text = await metrics.render();
  response.setHeader('content-type', metrics.contentType).setHeader('cache-control', 'no-store');
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Ends a refused request without reading its body. */
function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

const urlOf = (server: Server, host: string): string => {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}${PATH}`;
};

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
