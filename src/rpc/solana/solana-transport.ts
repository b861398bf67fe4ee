import type { Logger } from 'pino';
import { z } from 'zod';
import { createOutageLog } from '../../errors/outage-log';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import { createHttpClient, type HttpCall } from '../../http/http-client';
import { UpstreamError } from '../../http/upstream-error';
import { retry } from '../../async/retry';

export interface SolanaCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Maximum size of a response with this call, in bytes. */
  readonly maxBytes?: number;
}

/** JSON-RPC of one Solana chain. Every function throws PROVIDER_UNAVAILABLE. */
export interface SolanaTransport {
  /** The parsed result of one call. */
  request<Schema extends z.ZodType>(call: SolanaCall, schema: Schema, signal?: AbortSignal): Promise<z.output<Schema>>;
  /** The parsed results of calls in one batch, in their order. */
  requestAll<Schema extends z.ZodType>(
    calls: readonly SolanaCall[],
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<readonly z.output<Schema>[]>;
  /**
   * Like `requestAll`, but a call that fails does not fail the others: each has a result of its own. A batch that cannot be
   * read is requested again in halves, down to the call at fault.
   *
   * @throws PROVIDER_UNAVAILABLE when the node responds to no call at all
   */
  requestEach<Schema extends z.ZodType>(
    calls: readonly SolanaCall[],
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<readonly PromiseSettledResult<z.output<Schema>>[]>;
  close(): Promise<void>;
}

export interface SolanaEndpoint {
  readonly slug: string;
  readonly url: string;
  /** Time limit of one HTTP request, including the response body. */
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Calls per batch, as public endpoints allow. */
const CALLS_PER_BATCH = 25;
const MAX_RESPONSE_BYTES = 16_000_000;
const RETRY_DELAY_MS = 100;
const RETRYABLE_STATUS: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);
/** Error codes of nodes that limit the request rate, lag behind or are overloaded. */
const TRANSIENT_CODES: ReadonlySet<number> = new Set([429, -32005, -32429]);

/** A call that every node supports. */
const PROBE: SolanaCall = { method: 'getSlot', params: [] };

const responseSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
type CallResponse = z.infer<typeof responseSchema>;

/** Every call is a read: it is retried once after a connection failure. Error messages never contain the URL. */
export function createSolanaTransport({ slug, url, timeoutMs, log }: SolanaEndpoint): SolanaTransport {
  const { search, origin, pathname } = new URL(url);
  const http = createHttpClient({ baseUrl: `${origin}${pathname}`, timeoutMs, maxBytes: MAX_RESPONSE_BYTES });
  const outages = createOutageLog(log, { subject: { chain: slug }, recovered: `${slug} RPC responds again` });
  const path = pathname === '/' ? '/' : '';
  const query = Object.fromEntries(new URLSearchParams(search));
  const post = (call: Pick<HttpCall, 'body' | 'maxBytes' | 'signal'>) =>
    http.call({ method: 'POST', path, query, ...call });
  const exchange = async (calls: readonly SolanaCall[], signal: AbortSignal): Promise<Responses> => {
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
    const maxBytes = Math.min(...calls.map((call) => call.maxBytes ?? MAX_RESPONSE_BYTES));
    const request = { body: bodies.length === 1 ? bodies[0] : bodies, maxBytes, signal };
    const body = await retry(() => post(request), {
      delaysMs: [RETRY_DELAY_MS],
      isRetryable: isTransient,
      signal,
    });
    const responses = z.array(responseSchema).parse(bodies.length === 1 ? [body] : body);
    const byId = new Map(responses.map((response) => [response.id, response]));
    return calls.map((_, id) => byId.get(id));
  };
  const requestAll: SolanaTransport['requestAll'] = async (calls, schema, signal = new AbortController().signal) => {
    try {
      const results = await Promise.all(chunks(calls).map((chunk) => exchange(chunk, signal)));
      const parsed = results.flat().map((response) => schema.parse(resultOf(response)));
      outages.succeeded();
      return parsed;
    } catch (error) {
      throw logged(calls, error);
    }
  };
  const requestEach: SolanaTransport['requestEach'] = async (calls, schema, signal = new AbortController().signal) => {
    const read = (chunk: readonly SolanaCall[]): Promise<Responses> => exchange(chunk, signal);
    const results = (await Promise.all(chunks(calls).map((chunk) => inHalves(chunk, read)))).flat();
    const settled = await Promise.allSettled(
      results.map((responseOf) => Promise.resolve().then(() => schema.parse(resultOf(responseOf())))),
    );
    const [first] = settled;
    if (first?.status === 'rejected' && settled.every(({ status }) => status === 'rejected')) {
      // Either the node is at fault, or every call is, which may be a single one.
      await requestAll([PROBE], z.unknown(), signal);
    }
    return settled;
  };
  const logged = (calls: readonly SolanaCall[], error: unknown): ServiceError => {
    const failure = unavailable(slug, error);
    outages.failed(failure.message, { method: calls[0]?.method, cause: causeOf(error) });
    return failure;
  };
  return {
    requestAll,
    requestEach,
    async request(call, schema, signal) {
      const [result] = await requestAll([call], schema, signal);
      return result as z.output<typeof schema>;
    },
    close: () => http.close(),
  };
}

/** Responses in the order of the calls; `undefined` where the node returned none. */
type Responses = readonly (CallResponse | undefined)[];

/** Response of each call. When reading them together fails because of what is in them, the halves are read apart. */
async function inHalves(
  calls: readonly SolanaCall[],
  read: (calls: readonly SolanaCall[]) => Promise<Responses>,
): Promise<readonly (() => CallResponse | undefined)[]> {
  try {
    return (await read(calls)).map((response) => () => response);
  } catch (error) {
    if (calls.length === 1 || !isContentFailure(error)) {
      return calls.map(() => () => {
        throw error;
      });
    }
    const half = Math.ceil(calls.length / 2);
    const halves = await Promise.all([calls.slice(0, half), calls.slice(half)].map((part) => inHalves(part, read)));
    return halves.flat();
  }
}

/** True when fewer calls in a batch may help: the response is too large, no valid JSON-RPC, or takes too long. */
const isContentFailure = (error: unknown): boolean =>
  error instanceof z.ZodError ||
  (error instanceof UpstreamError && (error.kind === 'unreadable' || error.kind === 'timeout' || error.status === 413));

function chunks(calls: readonly SolanaCall[]): readonly (readonly SolanaCall[])[] {
  const starts = Array.from(
    { length: Math.ceil(calls.length / CALLS_PER_BATCH) },
    (_, index) => index * CALLS_PER_BATCH,
  );
  return starts.map((start) => calls.slice(start, start + CALLS_PER_BATCH));
}

const isTransient = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.kind === 'unreachable' || RETRYABLE_STATUS.has(error.status));

/** The node responded with an error. */
class RejectedCallError extends Error {
  override readonly name = 'RejectedCallError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message.slice(0, 300));
  }
}

function resultOf(response: CallResponse | undefined): unknown {
  if (response?.error !== undefined) throw new RejectedCallError(response.error.code, response.error.message);
  if (response?.result === undefined)
    throw new UpstreamError('it returned no response to a call', { kind: 'unreadable' });
  return response.result;
}

function unavailable(slug: string, error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  return serviceError(
    'PROVIDER_UNAVAILABLE',
    { provider: `${slug} RPC`, reason: reasonOf(error) },
    { cause: causeOf(error) },
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.message;
  if (error instanceof RejectedCallError) {
    return TRANSIENT_CODES.has(error.code) ? 'it is temporarily unavailable' : 'it rejected the call';
  }
  return 'its response could not be read';
}

/** The failure for the log: name and message, without the URL and the response. */
function causeOf(error: unknown): { readonly name: string; readonly message: string } {
  if (error instanceof z.ZodError) {
    return {
      name: error.name,
      message: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)[0] ?? '',
    };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message.replace(/\b[a-z]+:\/\/\S+/gi, '[url]') }
    : { name: 'unknown', message: typeof error };
}
