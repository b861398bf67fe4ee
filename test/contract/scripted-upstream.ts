import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a scripted upstream. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A third party that returns scripted responses in order. */
export interface ScriptedUpstream {
  readonly url: string;
  /** Requests since the last script. */
  readonly requests: readonly ScriptedRequest[];
  /** Number of connections since the start. */
  connections(): number;
  /** Returns these responses in turn; the last one repeats. */
  play(...responses: readonly RequestListener[]): void;
  close(): void;
}

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  let script: readonly RequestListener[] = [];
  const requests: ScriptedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream');
      const { method = 'GET', headers } = request;
      const body = Buffer.concat(chunks).toString();
      const handler = script[Math.min(requests.length, script.length - 1)];
      requests.push({ method, headers, body, path: pathname, query: Object.fromEntries(searchParams) });
      if (handler === undefined) response.writeHead(404).end();
      else handler(request, response);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    connections: () => connections,
    play(...responses) {
      script = responses;
      requests.length = 0;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A JSON response. */
export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
