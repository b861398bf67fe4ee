import { z } from 'zod';
import type { Methods } from './methods/method';
import { RpcError } from './rpc-error';

const callSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).default(null),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const MAX_CALLS = 1000;

/** Executes a JSON-RPC body: one call, or several in the given order. */
export function executeCalls(methods: Methods, body: unknown): unknown {
  if (body === undefined) return failure(null, new RpcError(-32700, 'Parse error'));
  if (!Array.isArray(body)) return executeCall(methods, body);
  if (body.length === 0 || body.length > MAX_CALLS) return failure(null, new RpcError(-32600, 'Invalid request'));
  return body.map((call) => executeCall(methods, call));
}

function executeCall(methods: Methods, body: unknown): unknown {
  const parsed = callSchema.safeParse(body);
  if (!parsed.success) return failure(null, new RpcError(-32600, 'Invalid request'));
  const { id, method, params } = parsed.data;
  try {
    const execute = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (execute === undefined) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: execute(params) };
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(-32603, `Internal error: ${String(error)}`));
  }
}

const failure = (id: string | number | null, { code, message, data }: RpcError): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
