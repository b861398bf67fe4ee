import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestFailure, requestFailure, renderEnvelope, requestProblem } from '../edge/failure';
import type { HeaderPairs } from './header-pairs';
import { JSON_TYPE } from '../edge/send-failure';

const FAILURES: Readonly<Record<string, RequestFailure>> = {
  HPE_HEADER_OVERFLOW: requestFailure(requestProblem(431, 'headers', 'are larger than 16 kB')),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: requestFailure(requestProblem(413, 'body', 'has oversized chunk extensions')),
  ERR_HTTP_REQUEST_TIMEOUT: requestFailure(requestProblem(408, 'request', 'did not arrive in time')),
};
const UNEXPECTED = requestFailure(requestProblem(417, 'expect', 'has a value that is not supported'));
const MALFORMED = requestFailure(requestProblem(400, 'request', 'is not well-formed HTTP'));

/** A socket with Node's internal reference to the response that may already be in progress. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent?: boolean } | null };

/** Sends the error envelope for input that never became a request (malformed, oversized or too slow), and disconnects. */
export const createClientErrorHandler =
  (headers: HeaderPairs) =>
  (error: Error & { readonly code?: string }, socket: ServerSocket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const failure = FAILURES[error.code ?? ''] ?? MALFORMED;
    const response = bareResponse(failure, headers);
    const lines = response.headers.map(([name, value]) => `${name}: ${value}`);
    const status = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`;
    socket.end([status, ...lines, '', response.body].join('\r\n'));
  };

/** Refuses a request with an `Expect` header that is not supported; Node does not pass it to the application. */
export const createExpectationHandler =
  (headers: HeaderPairs) =>
  (_request: unknown, serverResponse: ServerResponse): void => {
    const response = bareResponse(UNEXPECTED, headers);
    for (const [name, value] of response.headers) serverResponse.setHeader(name, value);
    serverResponse.writeHead(UNEXPECTED.status).end(response.body);
  };

/** An error response that is written outside of the application. */
function bareResponse(failure: RequestFailure, headers: HeaderPairs): { headers: HeaderPairs; body: string } {
  const requestId = randomUUID();
  const body = renderEnvelope(failure, requestId);
  const own: HeaderPairs = [
    ['content-type', JSON_TYPE],
    ['content-length', String(Buffer.byteLength(body))],
    ['x-request-id', requestId],
    ['connection', 'close'],
  ];
  return { headers: [...own, ...headers], body };
}
