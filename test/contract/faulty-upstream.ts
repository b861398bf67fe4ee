import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { timeoutError } from '../setup/held-timeouts';
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
const HANGING_FAULTS: ReadonlySet<Fault> = new Set(['times out', 'sends a byte a second']);

/** Timeout of a client under test, in milliseconds: only the signal of its caller ends a request that hangs. */
export const NO_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** A proxy in front of a third party that injects faults. */
export interface FaultyUpstream {
  readonly url: string;
  /** Applies the fault to every later request. `undefined` removes it. */
  injectFault(fault: Fault | undefined): void;
  /** Number of requests since the start. */
  requests(): number;
  /** Number of responses that the fault affected since it was injected. Zero means that a test proves nothing. */
  faultyResponses(): number;
  /** Resolves when the fault has affected the next response: one that hangs has begun to. */
  nextFault(): Promise<unknown>;
  /** Bytes of the 50 MB body that callers read since the fault was injected. */
  bytesTaken(): number;
  close(): void;
}

/** The signal of a request under a fault. It aborts once the request hangs, and never otherwise. */
export function signalUnder(fault: Fault, upstream: FaultyUpstream): AbortSignal {
  const limit = new AbortController();
  if (HANGING_FAULTS.has(fault)) void upstream.nextFault().then(() => limit.abort(timeoutError()));
  return limit.signal;
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
  const effects = new EventEmitter();
  const counts = { requests: 0, faulty: 0, bytes: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const current = fault;
    const respond = async (): Promise<void> => {
      const corruption = current === undefined ? undefined : CORRUPTIONS[current];
      if (current !== undefined && corruption === undefined) {
        counts.faulty += 1;
        await fail(current, response, (bytes) => (counts.bytes += bytes));
        effects.emit('fault');
        return;
      }
      const real = await forward(target, request);
      const body = corruption === undefined ? undefined : corruptAmounts(real.body, corruption, isAmount);
      if (body !== undefined) counts.faulty += 1;
      response.writeHead(real.status, real.headers).end(body ?? real.body);
      if (body !== undefined) effects.emit('fault');
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
    nextFault: () => once(effects, 'fault'),
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
      return sendSlowly(response);
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

/** Resolves after the second byte: by then the caller reads the body. Never resolves when the caller leaves before. */
function sendSlowly(response: ServerResponse): Promise<void> {
  response.writeHead(200, JSON_TYPE).write('{');
  return new Promise((resolve) => {
    const onSent = (error: Error | null | undefined): void => {
      if (!error) resolve();
    };
    const timer = setInterval(() => response.write(' ', onSent), 1000);
    response.on('close', () => clearInterval(timer));
  });
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
