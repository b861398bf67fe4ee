import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AmountTest, isAmountByName, corruptAmounts, type Corruption } from './corrupt-amounts';

/** Ways in which a third party fails. */
export const FAULTS = [
  'times out',
  'resets the connection',
  'responds with 500',
  'responds with 429 and Retry-After',
  'responds with malformed JSON',
  'responds with an unexpected object',
  'omits a field',
  'responds with NaN',
  'responds with a negative amount',
  'responds with a 50 MB body',
  'sends a byte a second',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Faults that end only when the caller aborts. */
export const HANGING_FAULTS: ReadonlySet<Fault> = new Set(['times out', 'sends a byte a second']);

/** A proxy in front of a third party that injects faults. */
export interface FaultyUpstream {
  readonly url: string;
  /** Applies the fault to every later request. `undefined` removes it. */
  injectFault(fault: Fault | undefined): void;
  /** Number of requests since the start. */
  requests(): number;
  /** Number of responses that the fault affected since it was injected. Zero means that a test proves nothing. */
  faultyResponses(): number;
  /** Bytes of the 50 MB body that callers read since the fault was injected. */
  bytesTaken(): number;
  close(): void;
}

export interface FaultyUpstreamOptions {
  /**
   * Identifies the amounts among the scalars of a response. `omits a field` removes the first, `responds with NaN` and
   * `responds with a negative amount` replace all. Default: by name, `…amount…` or `result` of JSON-RPC.
   */
  readonly isAmount?: AmountTest;
}

export async function startFaultyUpstream(
  target: string,
  options: FaultyUpstreamOptions = {},
): Promise<FaultyUpstream> {
  const isAmount = options.isAmount ?? isAmountByName;
  let fault: Fault | undefined;
  const counts = { requests: 0, faulty: 0, bytes: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const current = fault;
    const respond = async (): Promise<void> => {
      const corruption = current === undefined ? undefined : CORRUPTIONS[current];
      if (current !== undefined && corruption === undefined) {
        counts.faulty += 1;
        await fail(current, response, (bytes) => (counts.bytes += bytes));
        return;
      }
      const real = await forward(target, request);
      const body = corruption === undefined ? undefined : corruptAmounts(real.body, corruption, isAmount);
      if (body !== undefined) counts.faulty += 1;
      response.writeHead(real.status, real.headers).end(body ?? real.body);
    };
    respond().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    injectFault(next) {
      fault = next;
      Object.assign(counts, { faulty: 0, bytes: 0 });
    },
    requests: () => counts.requests,
    faultyResponses: () => counts.faulty,
    bytesTaken: () => counts.bytes,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Faults within the response of a healthy third party. */
const CORRUPTIONS: Partial<Readonly<Record<Fault, Corruption>>> = {
  'omits a field': 'missing',
  'responds with NaN': 'NaN',
  'responds with a negative amount': 'negative',
};

const JSON_TYPE = { 'content-type': 'application/json' };

async function fail(fault: Fault, response: ServerResponse, onBytes: (bytes: number) => void): Promise<void> {
  switch (fault) {
    case 'resets the connection':
      response.socket?.resetAndDestroy();
      return;
    case 'responds with 500':
      response.writeHead(500, { 'content-type': 'text/plain' }).end('on fire');
      return;
    case 'responds with 429 and Retry-After':
      response.writeHead(429, { ...JSON_TYPE, 'retry-after': '120' }).end('{"message":"Too many requests"}');
      return;
    case 'responds with malformed JSON':
      response.writeHead(200, JSON_TYPE).end('{"amount":"1');
      return;
    case 'responds with an unexpected object':
      response.writeHead(200, JSON_TYPE).end('{"mood":"odd"}');
      return;
    case 'responds with a 50 MB body':
      return sendFiftyMegabytes(response, onBytes);
    case 'sends a byte a second':
      sendSlowly(response);
      return;
    default: // it times out
  }
}

const MEGABYTE = Buffer.alloc(1_000_000, '0');

/** Sends a string of fifty million digits, with backpressure. */
async function sendFiftyMegabytes(response: ServerResponse, onBytes: (bytes: number) => void): Promise<void> {
  const body = function* () {
    yield Buffer.from('{"amount":"');
    for (let sent = 0; sent < 50; sent += 1) {
      onBytes(MEGABYTE.length);
      yield MEGABYTE;
    }
    yield Buffer.from('"}');
  };
  response.writeHead(200, JSON_TYPE);
  await pipeline(Readable.from(body(), { objectMode: false }), response);
}

function sendSlowly(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE).write('{');
  const timer = setInterval(() => response.write(' '), 1000);
  response.on('close', () => clearInterval(timer));
}

interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function forward(target: string, request: IncomingMessage): Promise<UpstreamResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const response = await fetch(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: forwarded(request),
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const headers = { 'content-type': response.headers.get('content-type') ?? 'application/json' };
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}

/** Headers of a connection, which the proxy does not forward. */
const CONNECTION_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !CONNECTION_HEADERS.has(name) ? [[name, value]] : [],
    ),
  );
