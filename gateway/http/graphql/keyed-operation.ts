import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { executeOnce, type KeyedRequest, type RenderedResponse } from '../../edge/idempotency';
import type { GraphDependencies } from '../../edge/dependencies';
import { isRetryable } from '../../edge/failure';

const responseSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullable(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).default([]),
});

/**
 * Whether the response is stored for repeated requests. Not stored: the response to an operation that was refused before
 * it was executed (it lacks `data`), and one with no value in `data` and a retryable error. With several root fields it is
 * always stored: one of them may have taken effect although another one made the whole `data` null.
 */
function isStorable({ body }: Pick<RenderedResponse, 'body'>, rootFields: number): boolean {
  const { success, data: response } = responseSchema.safeParse(JSON.parse(body));
  if (!success) return false;
  if (rootFields > 1) return true;
  const hasValue = Object.values(response.data ?? {}).some((value) => value !== null);
  return hasValue || !response.errors.some(({ extensions }) => isRetryable(extensions));
}

/** Like the REST routes: a POST with an `Idempotency-Key` is executed once, and its response is repeated for 24 hours. */
export function executeKeyedOperation(
  deps: Pick<GraphDependencies, 'idempotency' | 'log'>,
  { headers, method, body, id: requestId, scope }: FastifyRequest,
  execute: () => Promise<RenderedResponse>,
): Promise<RenderedResponse> {
  const key = headers['idempotency-key'];
  const { principal } = scope;
  if (key === undefined || method !== 'POST' || principal === undefined) return execute();
  const keyed: KeyedRequest = {
    key: String(key),
    principal,
    operation: 'graphql',
    variables: { body },
    requestId,
    isStorable: (response) => isStorable(response, scope.rootFields),
  };
  return executeOnce(deps, keyed, execute);
}
