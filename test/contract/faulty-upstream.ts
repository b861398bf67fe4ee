import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Ways in which a third party fails. */
export const FAULTS = [
  'times out',
  'resets the connection',
  'answers 500',
  'answers nonsense',
  'drips its answer',
] as const;
type Fault = (typeof FAULTS)[number];

/** Stands in front of a third party, passes everything on, and fails when told to. */
export interface FaultyUpstream {
  readonly url: string;
  /** From now on every request meets this fault; none when `undefined`. */
  suffer(fault: Fault | undefined): void;
  /** Requests that have arrived since the start. */
  requests(): number;
  close(): void;
}

export async function startFaultyUpstream(target: string): Promise<FaultyUpstream> {
  let fault: Fault | undefined;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (fault !== undefined) misbehave[fault](response);
    else pass(target, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    suffer: (next) => (fault = next),
    requests: () => requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const misbehave: Readonly<Record<Fault, (response: ServerResponse) => void>> = {
  'times out': () => undefined,
  'resets the connection': (response) => response.socket?.resetAndDestroy(),
  'answers 500': (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('on fire'),
  'answers nonsense': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"mood":"odd"}'),
  'drips its answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
};

async function pass(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: forwarded(request),
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** Headers that belong to the connection are the proxy's own. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OF_THE_CONNECTION.has(name) ? [[name, value]] : [],
    ),
  );
