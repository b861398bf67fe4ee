import type { FastifyReply } from 'fastify';
import { isUncharged, type RequestFailure, renderEnvelope, retryAfterSeconds } from './failure';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes the headers of a failure, which are the same for every body format, and notes whether the request is charged. */
export function writeFailureHeaders(reply: FastifyReply, failure: RequestFailure): void {
  if (isUncharged(failure)) reply.request.scope.isUnserved = true;
  const retryAfter = retryAfterSeconds(failure);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (failure.status === 401) reply.header('www-authenticate', 'ApiKey realm="afluente", Bearer realm="afluente"');
  reply.header('cache-control', 'no-store');
}

/** Sends the error envelope. */
export function sendFailure(reply: FastifyReply, failure: RequestFailure): FastifyReply {
  writeFailureHeaders(reply, failure);
  return reply.code(failure.status).header('content-type', JSON_TYPE).send(renderEnvelope(failure, reply.request.id));
}
