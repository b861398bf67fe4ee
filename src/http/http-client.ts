import { Pool } from 'undici';
import { parse } from 'secure-json-parse';
import { anySignal } from './any-signal';
import { UpstreamError } from './upstream-error';

/** Query parameters; those that are `undefined` are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL: `/v1/quote`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly content?: { readonly type: string; readonly bytes: string | Buffer } | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Speaks JSON with one third party. Nothing is retried: the caller knows what may be repeated.
 *
 * Every function resolves to the parsed body of a 2xx answer (`undefined` when it is empty) and throws UpstreamError.
 */
export interface HttpClient {
  call(call: HttpCall): Promise<unknown>;
  get(path: string, query: Query, signal: AbortSignal): Promise<unknown>;
  post(path: string, body: unknown, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest body that is read, in bytes. */
  readonly maxBytes?: number;
  /** Longest that an exchange may take, whatever the caller's signal allows. */
  readonly timeoutMs?: number;
  readonly connections?: number;
  /** Headers that prove who asks, over the bytes that are sent. */
  readonly sign?: (request: SignedRequest) => Readonly<Record<string, string>>;
}

/** A request as it goes over the wire. */
export interface SignedRequest {
  readonly method: HttpCall['method'];
  /** Path and query. */
  readonly target: string;
  /** Empty when there is none. */
  readonly body: string;
}

const DEFAULTS = { maxBytes: 2_000_000, timeoutMs: 10_000, connections: 32 };

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { headers: own = {}, sign } = options;
  const { maxBytes, timeoutMs, connections } = { ...DEFAULTS, ...options };
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const pool = new Pool(base.origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const requestOf = ({ method, path, query, body, content = jsonContent(body), headers }: HttpCall) => {
    const target = `${prefix}${path}${queryText(query ?? {})}`;
    const proof = sign?.({ method, target, body: content?.bytes.toString() ?? '' });
    const type = content === undefined ? {} : { 'content-type': content.type };
    const all = { accept: 'application/json', ...type, ...own, ...headers, ...proof };
    return { method, path: target, headers: all, ...(content === undefined ? {} : { body: content.bytes }) };
  };
  const call = async (asked: HttpCall): Promise<unknown> => {
    const deadline = anySignal(asked.signal, AbortSignal.timeout(timeoutMs));
    const request = requestOf(asked);
    try {
      const answer = await pool.request({ ...request, signal: deadline });
      const text = await readText(answer.body, maxBytes);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return parseBody(text);
      throw refusal({ status: answer.statusCode, text, retryAfter: answer.headers['retry-after'] });
    } catch (cause) {
      if (cause instanceof UpstreamError) throw cause;
      if (deadline.aborted) throw new UpstreamError('it did not answer in time', { kind: 'timeout', cause });
      if (cause instanceof TooLargeError)
        throw new UpstreamError('its answer is too large', { kind: 'unreadable', cause });
      throw new UpstreamError('it could not be reached', { kind: 'unreachable', cause });
    }
  };
  return {
    call,
    get: (path, query, signal) => call({ method: 'GET', path, query, signal }),
    post: (path, body, signal) => call({ method: 'POST', path, body, signal }),
    close: () => pool.destroy(),
  };
}

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

const jsonContent = (body: unknown): HttpCall['content'] =>
  body === undefined ? undefined : { type: 'application/json', bytes: JSON.stringify(body) };

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Stops reading, and the connection with it, as soon as the body is longer than it may be. */
async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parse(text) as unknown;
  } catch {
    // What the parser says repeats a part of the answer, and would be logged with it.
    throw new UpstreamError('its answer is not JSON', { kind: 'unreadable' });
  }
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | string[] | undefined;
}

function refusal({ status, text, retryAfter }: Refusal): UpstreamError {
  // A date is not told: clocks differ.
  const seconds = /^[0-9]{1,9}$/.exec(String(retryAfter))?.[0];
  return new UpstreamError(`it answered ${String(status)}`, {
    kind: 'status',
    status,
    body: bodyOf(text),
    retryAfterSeconds: seconds === undefined ? undefined : Number.parseInt(seconds, 10),
  });
}

function bodyOf(text: string): unknown {
  try {
    return parseBody(text);
  } catch {
    return text.slice(0, 1000);
  }
}
