import { Pool } from 'undici';
import { z } from 'zod';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { anySignal } from '../../../src/async/any-signal';
import { refusalAdvice } from './refusal-log';

/** Above the size of any valid response, to bound the memory. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const CONNECTIONS = 64;
const UNAUTHORIZED = 401;

export interface HttpExchangeOptions {
  readonly timeoutMs: number;
}

export interface HttpPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const refusalSchema = z.object({ error: z.object({ message: z.string().max(200) }) });

/** The subgraph does not accept the signature of this gateway. */
export class RefusedRequestError extends Error {
  override readonly name = 'RefusedRequestError';
  /** `response` is the body of the subgraph. */
  constructor(response: string) {
    const { data } = refusalSchema.safeParse(parseResponseText(response));
    const reason = data?.error.message ?? 'no reason';
    super(`the subgraph refused a request of this gateway: ${reason}. ${refusalAdvice(reason)}`);
  }
}

/** Posts to one URL over kept-alive connections. */
export interface HttpExchange {
  /**
   * Returns the parsed JSON body of a response with any status.
   *
   * @throws SUBREQUEST_TIMEOUT, RefusedRequestError, or another error when there is no JSON body.
   */
  postJson(post: HttpPost): Promise<unknown>;
  /** Returns the body as a stream. The timeout applies to the headers of the response only. */
  postForStream(post: HttpPost): Promise<{ readonly isStream: boolean; readonly chunks: AsyncIterable<Buffer> }>;
  close(): Promise<void>;
}

export function createHttpExchange(url: string, { timeoutMs }: HttpExchangeOptions): HttpExchange {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  const pool = new Pool(origin, { connections: CONNECTIONS, connectTimeout: timeoutMs, headersTimeout: timeoutMs });
  return {
    async postJson({ body, headers, signal: requestSignal }) {
      const signal = anySignal(requestSignal, AbortSignal.timeout(timeoutMs));
      return withTimeoutCode(signal, async () => {
        const response = await pool.request({ method: 'POST', path, headers, body, signal });
        const text = await readText(response.body);
        if (response.statusCode === UNAUTHORIZED) throw new RefusedRequestError(text);
        return parseResponseText(text);
      });
    },
    postForStream: ({ body, headers, signal }) =>
      withTimeoutCode(signal, async () => {
        const response = await pool.request({ method: 'POST', path, headers, body, signal, bodyTimeout: 0 });
        if (response.statusCode === UNAUTHORIZED) {
          throw new RefusedRequestError(await readText(response.body));
        }
        const type = String(response.headers['content-type']);
        return { isStream: type.startsWith('text/event-stream'), chunks: response.body as AsyncIterable<Buffer> };
      }),
    close: () => pool.destroy(), // `close` would wait for open subscriptions forever
  };
}

async function withTimeoutCode<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (signal.aborted || isTimeout(cause)) throw serviceError('SUBREQUEST_TIMEOUT', {}, { cause });
    throw cause;
  }
}

/** undici also has timeouts of its own, for connecting and for headers. */
const isTimeout = (cause: unknown): boolean => /TIMEOUT/.test(String((cause as { code?: unknown }).code));

/** Replaces the parser's error, which would repeat a part of the text in the log. */
export function parseResponseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvariantError('the response of a subgraph is not JSON');
  }
}

export async function readText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new InvariantError(`the response of a subgraph exceeds ${MAX_BODY_BYTES} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read).toString();
}
