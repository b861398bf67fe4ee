import type { Logger } from 'pino';
import { http, HttpRequestError, type EIP1193RequestOptions, type Transport } from 'viem';
import { anySignal } from '../async/any-signal';
import { isTransportFailure, rpcFailure } from './rpc-failure';
import { retry } from '../async/retry';

export interface RpcEndpoint {
  readonly slug: string;
  readonly url: string;
  /** Time limit of one HTTP request, including the response body. */
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

const RETRY_DELAY_MS = 100;
const MAX_RESPONSE_BYTES = 8_000_000;
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * JSON-RPC over HTTP. Calls of one tick are sent as a batch, and a read is retried once after a connection failure.
 * Transport failures become PROVIDER_UNAVAILABLE without the URL; errors of the node, such as reverts, stay viem errors.
 */
export function rpcTransport(endpoint: RpcEndpoint): Transport {
  const inner = http(endpoint.url, {
    batch: { batchSize: 100 },
    retryCount: 0,
    timeout: endpoint.timeoutMs,
    maxResponseBodySize: MAX_RESPONSE_BYTES,
    fetchFn: fetchWithin(endpoint.timeoutMs),
  });
  return (options) => {
    const transport = inner(options);
    const request = async (args: RpcCall, requestOptions?: EIP1193RequestOptions): Promise<unknown> => {
      const result: unknown = await transport.request(args, requestOptions);
      if (result === undefined) throw new SyntaxError('neither a result nor an error');
      return result;
    };
    return { ...transport, request: guarded(endpoint, request) as typeof transport.request };
  };
}

interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}
type Request = (args: RpcCall, options?: EIP1193RequestOptions) => Promise<unknown>;

function guarded(endpoint: RpcEndpoint, request: Request): Request {
  return async (args, options) => {
    try {
      return await retry(() => request(args, options), {
        delaysMs: [RETRY_DELAY_MS],
        // A transaction that was sent may have arrived although the response was lost: its sender decides.
        isRetryable: (error) => !args.method.startsWith('eth_send') && isTransient(error),
        signal: options?.signal,
      });
    } catch (error) {
      if (!isTransportFailure(error)) throw error;
      const failure = rpcFailure(endpoint.slug, error);
      endpoint.log.warn({ chain: endpoint.slug, method: args.method, cause: failure.cause }, failure.message);
      throw failure;
    }
  };
}

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
