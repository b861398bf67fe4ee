import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Failure, failureOf, renderEnvelope, requestProblem } from '../rest/failure';
import type { RateLimitHeaders } from './rate-limit-headers';
import { JSON_TYPE } from './send-failure';

const FAILURES: Readonly<Record<string, Failure>> = {
  HPE_HEADER_OVERFLOW: failureOf(requestProblem(431, 'headers', 'are larger than 16 kB')),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: failureOf(requestProblem(413, 'body', 'has oversized chunk extensions')),
  ERR_HTTP_REQUEST_TIMEOUT: failureOf(requestProblem(408, 'request', 'did not arrive in time')),
};
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
    const requestId = randomUUID();
    const body = renderEnvelope(failure, requestId);
    const lines = [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`,
      `content-type: ${JSON_TYPE}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      'connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  };
