import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import { http, HttpRequestError, ResponseBodyTooLargeError, type EIP1193RequestOptions, type Transport } from 'viem';
import { anySignal } from '../async/any-signal';
import { createOutageLog, type OutageLog } from '../errors/outage-log';
import { isRangeRefused, withRefusal } from './log-range-limit';
import { isTooLarge, isTransportFailure, nodeErrorOf, rpcFailure } from './rpc-failure';
import { retry } from '../async/retry';

export interface RpcEndpoint {
  readonly slug: string;
  readonly url: string;
  /** Time limit of one HTTP request, including the response body. */
  readonly timeoutMs: number;
  /** Bound of a response body; 8 MB by default. */
  readonly maxResponseBytes?: number | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

const RETRY_DELAY_MS = 100;
const DEFAULT_MAX_RESPONSE_BYTES = 8_000_000;
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * JSON-RPC over HTTP. Calls of one tick are sent as a batch, and a read is retried once after a connection failure. When
 * the response to a batch is too large, its reads are sent one by one; a response that is too large alone is a
 * ResponseBodyTooLargeError, whatever the node's own message. Other transport failures become PROVIDER_UNAVAILABLE without the URL; errors of the node, such as reverts, stay viem errors.
 */
export function rpcTransport(endpoint: RpcEndpoint): Transport {
  const { slug, log } = endpoint;
  const outages = createOutageLog(log, { subject: { chain: slug }, recovered: `${slug} RPC responds again` });
  const inner = http(endpoint.url, {
    batch: { batchSize: 100 },
    retryCount: 0,
    timeout: endpoint.timeoutMs,
    maxResponseBodySize: endpoint.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    fetchFn: fetchWithin(endpoint.timeoutMs),
  });
  return (options) => {
    const transport = inner(options);
    const request = async (args: RpcCall, requestOptions?: EIP1193RequestOptions): Promise<unknown> => {
      const result: unknown = await transport.request(args, requestOptions);
      if (result === undefined) throw new SyntaxError('neither a result nor an error');
      return result;
    };
    return { ...transport, request: guarded(endpoint, request, outages) as typeof transport.request };
  };
}

interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}
type Request = (args: RpcCall, options?: EIP1193RequestOptions) => Promise<unknown>;

/** Responses to single requests after a batch was too large, read at the same time: each may be megabytes. */
const MAX_CONCURRENT_ALONE = 4;

function guarded(endpoint: RpcEndpoint, request: Request, outages: OutageLog): Request {
  const alone = bulkhead(MAX_CONCURRENT_ALONE, Number.POSITIVE_INFINITY);
  const send: Request = (args, options) =>
    request(args, options).catch((error: unknown) => {
      // Some nodes use the codes of rate limits.
      throw args.method === 'eth_getLogs' && isRangeRefused(error) ? tooLarge(error, endpoint) : error;
    });
  return async (args, options) => {
    try {
      const result = await retry(() => send(args, options), {
        delaysMs: [RETRY_DELAY_MS],
        // A transaction that was sent may have arrived although the response was lost: its sender decides.
        isRetryable: (error) => isRead(args) && isTransient(error),
        signal: options?.signal,
      }).catch((error: unknown) => {
        // A refused range is refused alone as well.
        if (!isRead(args) || !isTooLarge(error) || isRangeRefused(error)) throw error;
        return alone.execute(() => send(args, { signal: unbatched(options?.signal) }));
      });
      outages.succeeded();
      return result;
    } catch (error) {
      if (isTooLarge(error)) throw tooLarge(error, endpoint);
      if (!isTransportFailure(error)) throw error;
      const failure = rpcFailure(endpoint.slug, error);
      outages.failed(failure.message, { method: args.method, cause: failure.cause });
      throw failure;
    }
  };
}

const isRead = ({ method }: RpcCall): boolean => !method.startsWith('eth_send');

/** What a node or proxy states in its own way becomes one error. */
function tooLarge(error: unknown, { maxResponseBytes }: RpcEndpoint): Error {
  if (error instanceof ResponseBodyTooLargeError) return error;
  const maxSize = maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  return withRefusal(new ResponseBodyTooLargeError({ maxSize, size: maxSize + 1 }), nodeErrorOf(error));
}

/** A signal of its own: only requests with the same signal are sent in one batch. */
const unbatched = (signal: AbortSignal | undefined): AbortSignal =>
  signal === undefined ? new AbortController().signal : anySignal(signal);

/** Failures that may not happen again: a broken connection, an overloaded proxy. Never a timeout. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof HttpRequestError)) return false;
  if (error.status !== undefined) return RETRYABLE_STATUS.has(error.status);
  return !(error.cause instanceof Error && ['TimeoutError', 'AbortError', 'SyntaxError'].includes(error.cause.name));
}

/** viem's own timeout ends with the headers and is ignored when the caller passes a signal: this one covers the body. */
function fetchWithin(timeoutMs: number): typeof fetch {
  return (input, init) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const caller = init?.signal ?? undefined;
    const signal = caller === undefined ? deadline : anySignal(caller, deadline);
    return fetch(input, { ...init, signal });
  };
}
