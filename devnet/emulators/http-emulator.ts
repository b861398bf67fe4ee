import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as an emulator sees it. */
export interface EmulatorRequest {
  /** Values of the `:name` segments of the route. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Path and query as they were sent, byte for byte: what signatures cover. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed JSON; `undefined` when there was none. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly rawBody: Buffer;
}

export interface EmulatorResponse {
  readonly status?: number;
  /** Sent as JSON, a Buffer as it is; nothing when absent. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request is executed, but the connection breaks before the response is sent. */
  readonly lost?: boolean;
}

export type EmulatorHandler = (request: EmulatorRequest) => Promise<EmulatorResponse> | EmulatorResponse;

/** Handlers by method and path: `GET /v1/quote`, `POST /orders/:id/cancel`. */
export type EmulatorRoutes = Readonly<Record<string, EmulatorHandler>>;

export interface EmulatorOptions {
  readonly routes: EmulatorRoutes;
  /** Handles requests that match no route; 404 with an empty object when absent. */
  readonly otherwise?: EmulatorHandler;
  /** A free one when not given. */
  readonly port?: number;
}

/** A third party's HTTP interface on this machine. */
export interface HttpEmulator {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the routes on the loopback interface. An error in a handler becomes a 500 with its message. */
export async function startHttpEmulator({ routes, otherwise, port = 0 }: EmulatorOptions): Promise<HttpEmulator> {
  const compiled = Object.entries(routes).map(([route, handler]) => ({ ...compile(route), handler }));
  const server = createServer((request, response) => {
    serve(compiled, otherwise, request)
      .catch((error: unknown) => ({ status: 500, body: { message: String(error) } }))
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, stop: () => close(server) };
}

interface CompiledRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly handler: EmulatorHandler;
}

function compile(route: string): Omit<CompiledRoute, 'handler'> {
  const [method = '', path = ''] = route.split(' ');
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const source = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '([^/]+)');
  return { method, names, pattern: new RegExp(`^${source}$`) };
}

async function serve(
  routes: readonly CompiledRoute[],
  otherwise: EmulatorHandler | undefined,
  incoming: IncomingMessage,
): Promise<EmulatorResponse> {
  const target = incoming.url ?? '/';
  const url = new URL(target, 'http://emulator');
  const rawBody = await readBody(incoming);
  const request = {
    query: url.searchParams,
    target,
    headers: incoming.headers,
    rawBody,
    body: rawBody.length === 0 ? undefined : parsed(rawBody),
  };
  for (const { method, pattern, names, handler } of routes) {
    const match = method === incoming.method ? pattern.exec(url.pathname) : null;
    if (match === null) continue;
    const values = names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')] as const);
    return handler({ ...request, parameters: Object.fromEntries(values) });
  }
  return otherwise?.({ ...request, parameters: {} }) ?? { status: 404, body: {} };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status = 200, body, headers = {}, lost }: EmulatorResponse): void {
  if (lost === true) response.destroy();
  else if (Buffer.isBuffer(body) || body === undefined) response.writeHead(status, headers).end(body);
  else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
