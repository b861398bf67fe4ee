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
  'answers 500',
  'answers 429 with Retry-After',
  'answers malformed JSON',
  'answers nonsense',
  'misses a field',
  'answers NaN',
  'answers a negative amount',
  'answers a 50 MB body',
  'drips a byte a second',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Faults that end only when the caller gives up. */
export const HANGING_FAULTS: ReadonlySet<Fault> = new Set(['times out', 'drips a byte a second']);

/** Stands in front of a third party, passes everything on, and fails when told to. */
export interface FaultyUpstream {
  readonly url: string;
  /** From now on every request meets this fault; none when `undefined`. */
  injectFault(fault: Fault | undefined): void;
  /** Requests that have arrived since the start. */
  requests(): number;
  /** Answers that met the fault since it began: a fault that nobody met proves nothing. */
  faultyResponses(): number;
  /** Bytes of the 50 MB body that callers took since the fault began. */
  bytesTaken(): number;
  close(): void;
}

export interface FaultyUpstreamOptions {
  /**
   * Tells the amounts among the scalars of an answer: what `misses a field` takes away (the first one), and what
   * `answers NaN` and `answers a negative amount` spoil (all). By its name when absent: `…amount…`, or `result` of JSON-RPC.
   */
  readonly isAmount?: AmountTest;
}

export async function startFaultyUpstream(
  target: string,
  options: FaultyUpstreamOptions = {},
): Promise<FaultyUpstream> {
  const isAmount = options.isAmount ?? isAmountByName;
  let fault: Fault | undefined;
  const counts = { requests: 0, harmed: 0, bytes: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    const met = fault;
    const answer = async (): Promise<void> => {
      const spoiling = met === undefined ? undefined : SPOILINGS[met];
      if (met !== undefined && spoiling === undefined) {
        counts.harmed += 1;
        await misbehave(met, response, (bytes) => (counts.bytes += bytes));
        return;
      }
      const real = await ask(target, request);
      const body = spoiling === undefined ? undefined : corruptAmounts(real.body, spoiling, isAmount);
      if (body !== undefined) counts.harmed += 1;
      response.writeHead(real.status, real.headers).end(body ?? real.body);
    };
    answer().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    injectFault(next) {
      fault = next;
      Object.assign(counts, { harmed: 0, bytes: 0 });
    },
    requests: () => counts.requests,
    faultyResponses: () => counts.harmed,
    bytesTaken: () => counts.bytes,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Faults that are in what a healthy third party would have answered. */
const SPOILINGS: Partial<Readonly<Record<Fault, Corruption>>> = {
  'misses a field': 'missing',
  'answers NaN': 'NaN',
  'answers a negative amount': 'negative',
};

const JSON_TYPE = { 'content-type': 'application/json' };

async function misbehave(fault: Fault, response: ServerResponse, took: (bytes: number) => void): Promise<void> {
  switch (fault) {
    case 'resets the connection':
      response.socket?.resetAndDestroy();
      return;
    case 'answers 500':
      response.writeHead(500, { 'content-type': 'text/plain' }).end('on fire');
      return;
    case 'answers 429 with Retry-After':
      response.writeHead(429, { ...JSON_TYPE, 'retry-after': '120' }).end('{"message":"Too many requests"}');
      return;
    case 'answers malformed JSON':
      response.writeHead(200, JSON_TYPE).end('{"amount":"1');
      return;
    case 'answers nonsense':
      response.writeHead(200, JSON_TYPE).end('{"mood":"odd"}');
      return;
    case 'answers a 50 MB body':
      return flood(response, took);
    case 'drips a byte a second':
      drip(response);
      return;
    default: // it times out
  }
}

const MEGABYTE = Buffer.alloc(1_000_000, '0');

/** A string of fifty million digits, as fast as it is taken and no faster. */
async function flood(response: ServerResponse, took: (bytes: number) => void): Promise<void> {
  const body = function* () {
    yield Buffer.from('{"amount":"');
    for (let sent = 0; sent < 50; sent += 1) {
      took(MEGABYTE.length);
      yield MEGABYTE;
    }
    yield Buffer.from('"}');
  };
  response.writeHead(200, JSON_TYPE);
  await pipeline(Readable.from(body(), { objectMode: false }), response);
}

function drip(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE).write('{');
  const timer = setInterval(() => response.write(' '), 1000);
  response.on('close', () => clearInterval(timer));
}

interface RealAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function ask(target: string, request: IncomingMessage): Promise<RealAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: forwarded(request),
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const headers = { 'content-type': answer.headers.get('content-type') ?? 'application/json' };
  return { status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) };
}

/** Headers that belong to the connection are the proxy's own. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OF_THE_CONNECTION.has(name) ? [[name, value]] : [],
    ),
  );
