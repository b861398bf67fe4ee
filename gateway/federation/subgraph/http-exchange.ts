import { Pool } from 'undici';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { anySignal } from '../../../src/async/any-signal';

/** More than any answer of a subgraph: what is larger is a fault, and must not fill the memory. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const CONNECTIONS = 64;

export interface HttpExchangeOptions {
  readonly timeoutMs: number;
}

export interface HttpPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Posts to one URL over kept-alive connections. */
export interface HttpExchange {
  /**
   * The body of the answer, whatever its status, parsed from JSON.
   *
   * @throws SUBREQUEST_TIMEOUT, or anything else when there is no JSON to return.
   */
  postJson(post: HttpPost): Promise<unknown>;
  /** The body as it arrives. The time limit is for the start of the answer. */
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
        const answer = await pool.request({ method: 'POST', path, headers, body, signal });
        return parsedAnswer(await readText(answer.body));
      });
    },
    postForStream: ({ body, headers, signal }) =>
      withTimeoutCode(signal, async () => {
        const answer = await pool.request({ method: 'POST', path, headers, body, signal, bodyTimeout: 0 });
        const type = String(answer.headers['content-type']);
        return { isStream: type.startsWith('text/event-stream'), chunks: answer.body as AsyncIterable<Buffer> };
      }),
    close: () => pool.destroy(), // open subscriptions would never end
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

/** undici has its own limits for connecting and for headers. */
const isTimeout = (cause: unknown): boolean => /TIMEOUT/.test(String((cause as { code?: unknown }).code));

/** What the parser would say of a text that it cannot read repeats a part of it, and would be logged. */
export function parsedAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvariantError('a subgraph answered with what is not JSON');
  }
}

export async function readText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new InvariantError(`a subgraph answered more than ${MAX_BODY_BYTES} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read).toString();
}
