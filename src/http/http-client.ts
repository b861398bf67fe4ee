import { Pool } from 'undici';
import { parse } from 'secure-json-parse';
import { anySignal } from '../async/any-signal';
import { recordFailedWrite } from './track-writes';
import { UpstreamError } from './upstream-error';

/** Query parameters; `undefined` values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL: `/v1/quote`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly content?: { readonly type: string; readonly bytes: string | Buffer } | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum size of the response body, in bytes, in place of the client's. */
  readonly maxBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * JSON client of one third party. Requests are never retried: only the caller can decide which are safe to repeat.
 *
 * Every function resolves to the parsed body of a 2xx response (`undefined` when it is empty) and throws UpstreamError.
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
  /** Maximum size of a response body, in bytes. */
  readonly maxBytes?: number;
  /** Time limit of a request, in addition to the caller's signal. */
  readonly timeoutMs?: number;
  readonly connections?: number;
  /** Authentication headers, computed from the sent bytes. */
  readonly sign?: (request: SignedRequest) => Readonly<Record<string, string>>;
}

/** A request in its serialized form. */
export interface SignedRequest {
  readonly method: HttpCall['method'];
  /** Path and query. */
  readonly target: string;
  /** Empty without a body. */
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
    const signature = sign?.({ method, target, body: content?.bytes.toString() ?? '' });
    const type = content === undefined ? {} : { 'content-type': content.type };
    const all = { accept: 'application/json', ...type, ...own, ...headers, ...signature };
    return { method, path: target, headers: all, ...(content === undefined ? {} : { body: content.bytes }) };
  };
  const call = async (options: HttpCall): Promise<unknown> => {
    const deadline = anySignal(options.signal, AbortSignal.timeout(timeoutMs));
    const request = requestOf(options);
    const isRead = options.method === 'GET';
    try {
      const response = await pool.request({ ...request, signal: deadline });
      const text = await readText(response.body, options.maxBytes ?? maxBytes);
      if (response.statusCode >= 200 && response.statusCode < 300) return parseBody(text, isRead);
      throw refusal({ status: response.statusCode, text, retryAfter: response.headers['retry-after'], isRead });
    } catch (cause) {
      if (!isRead) recordFailedWrite();
      if (cause instanceof UpstreamError) throw cause;
      if (deadline.aborted) throw new UpstreamError('it did not respond in time', { kind: 'timeout', isRead, cause });
      if (cause instanceof TooLargeError)
        throw new UpstreamError('its response is too large', { kind: 'unreadable', isRead, cause });
      throw new UpstreamError('it is unreachable', { kind: 'unreachable', isRead, cause });
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

/** Stops reading, and closes the connection, when the body exceeds the maximum. */
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

function parseBody(text: string, isRead: boolean): unknown {
  if (text === '') return undefined;
  try {
    return parse(text) as unknown;
  } catch {
    // The parser's message is dropped: it repeats a part of the response, which must not be logged.
    throw new UpstreamError('its response is not JSON', { kind: 'unreadable', isRead });
  }
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | string[] | undefined;
  readonly isRead: boolean;
}

function refusal({ status, text, retryAfter, isRead }: Refusal): UpstreamError {
  // Only seconds: a date would depend on the clock of the third party.
  const seconds = /^[0-9]{1,9}$/.exec(String(retryAfter))?.[0];
  return new UpstreamError(`it responded with ${String(status)}`, {
    kind: 'status',
    isRead,
    status,
    body: bodyOf(text, isRead),
    retryAfterSeconds: seconds === undefined ? undefined : Number.parseInt(seconds, 10),
  });
}

function bodyOf(text: string, isRead: boolean): unknown {
  try {
    return parseBody(text, isRead);
  } catch {
    return text.slice(0, 1000);
  }
}
