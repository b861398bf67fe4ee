import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Failure, failureOf, renderEnvelope, requestProblem } from '../rest/failure';
import type { RateLimitHeaders } from './rate-limit-headers';
import { JSON_TYPE } from './send-failure';

const FAILURES: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: failureOf(requestProblem(431, 'headers', 'are larger than 16 kB')),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: failureOf(requestProblem(413, 'body', 'has oversized chunk extensions')),
  ERR_HTTP_REQUEST_TIMEOUT: failureOf(requestProblem(408, 'request', 'did not arrive in time')),
};
const UNEXPECTED = failureOf(requestProblem(417, 'expect', 'is none that can be met'));
const MALFORMED = failureOf(requestProblem(400, 'request', 'is not well-formed HTTP'));

/** A connection whose response may already be on its way: Node keeps it under a name of its own. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent?: boolean } | null };

/** Answers what never became a request (malformed, oversized or too slow) in the error envelope, and hangs up. */
export const createClientErrorHandler =
  (headers: RateLimitHeaders) =>
  (error: Error & { readonly code?: string }, socket: ServerSocket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const failure = FAILURES[error.code ?? ''] ?? MALFORMED;
    const answer = bareAnswer(failure, headers);
    const lines = answer.headers.map(([name, value]) => `${name}: ${value}`);
    const status = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`;
    socket.end([status, ...lines, '', answer.body].join('\r\n'));
  };

/** Answers a request that expects of us what we do not do (`Expect`), which Node keeps from the application. */
export const createExpectationHandler =
  (headers: RateLimitHeaders) =>
  (_request: unknown, response: ServerResponse): void => {
    const answer = bareAnswer(UNEXPECTED, headers);
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.writeHead(UNEXPECTED.status).end(answer.body);
  };

/** An answer that is written outside of the application. */
function bareAnswer(failure: Failure, headers: RateLimitHeaders): { headers: RateLimitHeaders; body: string } {
  const requestId = randomUUID();
  const body = renderEnvelope(failure, requestId);
  const own: RateLimitHeaders = [
    ['content-type', JSON_TYPE],
    ['content-length', String(Buffer.byteLength(body))],
    ['x-request-id', requestId],
    ['connection', 'close'],
  ];
  return { headers: [...own, ...headers], body };
}
