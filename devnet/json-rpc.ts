import { z } from 'zod';
import { DevnetError } from './devnet-error';

interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** JSON-RPC of a local chain, for what a wallet or a dapp cannot do. */
export interface JsonRpc {
  readonly url: string;
  /** Result of one call. @throws DevnetError with the chain's message. */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Results of calls that travel in one request, in their order. @throws DevnetError when any of them failed. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
}

const response = z.object({
  id: z.int(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const BATCH_SIZE = 100;

export function createJsonRpc(url: string): JsonRpc {
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (let from = 0; from < calls.length; from += BATCH_SIZE) {
      results.push(...(await send(url, calls.slice(from, from + BATCH_SIZE))));
    }
    return results;
  };
  return { url, batch, call: async (method, params = []) => (await batch([{ method, params }]))[0] };
}

async function send(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const body = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const responses = z.array(response).parse(await reply.json());
  const byId = new Map(responses.map((item) => [item.id, item]));
  return calls.map(({ method }, id) => {
    const item = byId.get(id);
    if (item === undefined) throw new DevnetError(`${method}: no response`);
    if (item.error !== undefined) throw new DevnetError(`${method}: ${item.error.message}`);
    return item.result;
  });
}
