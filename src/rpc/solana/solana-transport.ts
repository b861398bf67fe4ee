import type { Logger } from 'pino';
import { z } from 'zod';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import { createHttpClient } from '../../http/http-client';
import { UpstreamError } from '../../http/upstream-error';
import { retry } from '../../async/retry';

export interface SolanaCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** JSON-RPC of one Solana chain. Every function throws PROVIDER_UNAVAILABLE. */
export interface SolanaTransport {
  /** The answer to one call, as the schema has it. */
  ask<Schema extends z.ZodType>(call: SolanaCall, schema: Schema, signal?: AbortSignal): Promise<z.output<Schema>>;
  /** The answers to calls that travel together, in their order. */
  askAll<Schema extends z.ZodType>(
    calls: readonly SolanaCall[],
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<readonly z.output<Schema>[]>;
  close(): Promise<void>;
}

export interface SolanaEndpoint {
  readonly slug: string;
  readonly url: string;
  /** Longest time that one HTTP exchange may take, its body included. */
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Calls in one body: what public endpoints take. */
const CALLS_A_BODY = 25;
const MAX_ANSWER_BYTES = 16_000_000;
const RETRY_DELAY_MS = 100;
const RETRYABLE_STATUS: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);
/** What nodes say when they limit requests, are behind, or cannot keep up. */
const PASSING_CODES: ReadonlySet<number> = new Set([429, -32005, -32429]);

const answerSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
type Answer = z.infer<typeof answerSchema>;

/** Every call is a read, so that one whose connection broke is repeated once. Messages never carry the URL. */
export function createSolanaTransport({ slug, url, timeoutMs, log }: SolanaEndpoint): SolanaTransport {
  const { search, origin, pathname } = new URL(url);
  const http = createHttpClient({ baseUrl: `${origin}${pathname}`, timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  const path = pathname === '/' ? '/' : '';
  const query = Object.fromEntries(new URLSearchParams(search));
  const post = (body: unknown, signal: AbortSignal) => http.call({ method: 'POST', path, query, body, signal });
  const exchange = async (calls: readonly SolanaCall[], signal: AbortSignal): Promise<readonly unknown[]> => {
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
    const body = await retry(() => post(bodies.length === 1 ? bodies[0] : bodies, signal), {
      delaysMs: [RETRY_DELAY_MS],
      isRetryable: isTransient,
      signal,
    });
    const answers = z.array(answerSchema).parse(bodies.length === 1 ? [body] : body);
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return calls.map((_, id) => resultOf(byId.get(id)));
  };
  const askAll: SolanaTransport['askAll'] = async (calls, schema, signal = new AbortController().signal) => {
    try {
      const results = await Promise.all(chunks(calls).map((chunk) => exchange(chunk, signal)));
      return results.flat().map((result) => schema.parse(result));
    } catch (error) {
      const failure = unavailable(slug, error);
      log.warn({ chain: slug, method: calls[0]?.method, cause: causeOf(error) }, failure.message);
      throw failure;
    }
  };
  return {
    askAll,
    async ask(call, schema, signal) {
      const [answer] = await askAll([call], schema, signal);
      return answer as z.output<typeof schema>;
    },
    close: () => http.close(),
  };
}

function chunks(calls: readonly SolanaCall[]): readonly (readonly SolanaCall[])[] {
  const starts = Array.from({ length: Math.ceil(calls.length / CALLS_A_BODY) }, (_, index) => index * CALLS_A_BODY);
  return starts.map((start) => calls.slice(start, start + CALLS_A_BODY));
}

const isTransient = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.kind === 'unreachable' || RETRYABLE_STATUS.has(error.status));

/** The node understood the call and did not answer it. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    readonly code: number,
    said: string,
  ) {
    super(said.slice(0, 300));
  }
}

function resultOf(answer: Answer | undefined): unknown {
  if (answer?.error !== undefined) throw new RefusedError(answer.error.code, answer.error.message);
  if (answer?.result === undefined)
    throw new UpstreamError('it returned no response to a call', { kind: 'unreadable' });
  return answer.result;
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
  if (error instanceof RefusedError) {
    return PASSING_CODES.has(error.code) ? 'it is temporarily unavailable' : 'it rejected the call';
  }
  return 'its response could not be read';
}

/** For the log: names and messages, which carry no URL, and nothing of the answer. */
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
