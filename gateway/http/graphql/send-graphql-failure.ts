import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestFailure } from '../../edge/failure';
import { JSON_TYPE, writeFailureHeaders } from '../../edge/send-failure';
import { costExtension } from './cost-extension';
import { type GraphQLFailure, graphqlFailures, graphqlStatus } from './graphql-error';

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

/** True when the request accepts responses of a media type by its name. */
export const accepts = ({ headers }: Pick<FastifyRequest, 'headers'>, type: string): boolean =>
  (headers.accept ?? '').includes(type);

/** Sends the failure of a request that never became an operation, in the format of GraphQL over HTTP. */
export function sendGraphqlFailure(reply: FastifyReply, failure: RequestFailure): FastifyReply {
  writeFailureHeaders(reply, failure);
  return sendErrors(reply, statusOf(reply.request, failure), graphqlFailures(failure, reply.request.id));
}

/** A request with a document above a limit is well-formed, and gets 200 over `application/json`. */
function statusOf(request: FastifyRequest, failure: RequestFailure): number {
  const isOverJson = !accepts(request, 'application/graphql-response+json') && !accepts(request, 'text/event-stream');
  return isOverJson && failure.code === 'DOCUMENT_LIMIT_EXCEEDED' ? 200 : graphqlStatus(failure);
}

export function sendErrors(reply: FastifyReply, status: number, errors: readonly GraphQLFailure[]): FastifyReply {
  const takesGraphqlType = accepts(reply.request, 'application/graphql-response+json');
  return reply
    .code(status)
    .header('content-type', takesGraphqlType ? GRAPHQL_TYPE : JSON_TYPE)
    .send(JSON.stringify({ errors, ...costExtension(reply.request) }));
}
