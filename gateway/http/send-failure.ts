import type { FastifyReply } from 'fastify';
import { type Failure, renderEnvelope, retryAfterOf } from '../rest/failure';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers that belong to a failure, whatever its body looks like. */
export function writeFailureHeaders(reply: FastifyReply, failure: Failure): void {
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (failure.status === 401) reply.header('www-authenticate', 'ApiKey realm="afluente", Bearer realm="afluente"');
  reply.header('cache-control', 'no-store');
}

/** Answers with the error envelope. */
export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  writeFailureHeaders(reply, failure);
  return reply.code(failure.status).header('content-type', JSON_TYPE).send(renderEnvelope(failure, reply.request.id));
}
