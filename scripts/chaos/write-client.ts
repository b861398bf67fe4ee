import { Pool } from 'undici';
import { z } from 'zod';
import { routeErrorCodes } from '../../gateway/rest/openapi/error-responses';
import { ROUTES } from '../../gateway/rest/route-table';
import { CATALOG, type ErrorCode } from '../../src/errors/catalog';

/** Longer than the service works on any request. */
const TIMEOUT_MS = 60_000;

/** Where and what clients write: quotes of a pair of tokens of one chain, and their actions. */
export interface WriteTarget {
  readonly url: string;
  readonly apiKey: string;
  readonly chain: string;
  readonly wallet: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
}

type Headers = Readonly<Record<string, string>>;

export interface WriteClient {
  /** Responses without success by status and code; `no response` for broken connections. */
  readonly failures: ReadonlyMap<string, number>;
  /** Failures that are no error envelope with a documented code of their route. */
  readonly undocumented: readonly string[];
  /** Requests a quote for an amount in base units. Returns its id; `undefined` without success. */
  requestQuote(amount: number): Promise<string | undefined>;
  /** Requests the bytecode of a quote. Returns the id of its action, or whether the request may succeed later. */
  requestBytecode(quoteId: string, headers: Headers): Promise<{ readonly id: string } | 'refused' | 'repeat'>;
  close(): Promise<void>;
}

const quoteSchema = z.object({ quote: z.object({ quoteId: z.string() }) });
const actionSchema = z.object({ id: z.string() });
const envelope = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const OPERATIONS = {
  quote: { method: 'GET', path: '/v2/swap/quote' },
  bytecode: { method: 'POST', path: '/v2/swap/bytecode' },
} as const;
type Operation = keyof typeof OPERATIONS;

const codesOf = (operation: Operation): ReadonlySet<string> => {
  const { method, path } = OPERATIONS[operation];
  return new Set(ROUTES.filter((route) => route.method === method && route.path === path).flatMap(routeErrorCodes));
};
const DOCUMENTED = { quote: codesOf('quote'), bytecode: codesOf('bytecode') };

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Sent {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Headers;
}

export function createWriteClient(target: WriteTarget): WriteClient {
  const { url, apiKey, chain, wallet, tokenIn, tokenOut } = target;
  const [failures, undocumented] = [new Map<string, number>(), [] as string[]];
  const pool = new Pool(url, { connections: 256, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const send = async (operation: Operation, { query = '', body, headers }: Sent): Promise<Reply | undefined> => {
    const { method, path } = OPERATIONS[operation];
    const all = { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers };
    const reply = await pool
      .request({ method, path: path + query, headers: all, body: body ?? null })
      .then(async (response) => ({ status: response.statusCode, text: await response.body.text() }))
      .catch(() => undefined);
    if (reply?.status === 200) return reply;
    const name = reply === undefined ? 'no response' : `${String(reply.status)} ${codeOf(reply) ?? 'without a code'}`;
    failures.set(name, (failures.get(name) ?? 0) + 1);
    if (reply !== undefined && !isDocumented(operation, reply))
      undocumented.push(`${operation}: ${String(reply.status)} ${reply.text.slice(0, 200)}`);
    return reply;
  };
  return {
    failures,
    undocumented,
    async requestQuote(amount) {
      const pair = { originChain: chain, destinationChain: chain, tokenIn, tokenOut };
      // The provider with the cheapest quotes: what is written does not depend on the provider.
      const query = new URLSearchParams({ ...pair, amountIn: String(amount), preferredProvider: 'wrap' });
      const reply = await send('quote', { query: `?${query.toString()}` });
      return reply?.status === 200 ? quoteSchema.parse(JSON.parse(reply.text)).quote.quoteId : undefined;
    },
    async requestBytecode(quoteId, headers) {
      const body = JSON.stringify({ quoteId, originAddress: wallet, destinationAddress: wallet });
      const reply = await send('bytecode', { body, headers });
      if (reply?.status === 200) return { id: actionSchema.parse(JSON.parse(reply.text)).id };
      const code = codeOf(reply);
      return code === undefined || CATALOG[code].retryable ? 'repeat' : 'refused';
    },
    close: () => pool.destroy(),
  };
}

/** The code of an error envelope; `undefined` for anything else. */
function codeOf(reply: Reply | undefined): ErrorCode | undefined {
  try {
    const { code } = envelope.parse(JSON.parse(reply?.text ?? '')).error;
    return isErrorCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

const isErrorCode = (code: string): code is ErrorCode => code in CATALOG;

/** True for the envelope of a code that the route documents, with the status of the code. */
function isDocumented(operation: Operation, reply: Reply): boolean {
  const code = codeOf(reply);
  return code !== undefined && DOCUMENTED[operation].has(code) && CATALOG[code].status === reply.status;
}
