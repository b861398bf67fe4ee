import type { FastifyReply } from 'fastify';
import type { RequestFailure } from '../../edge/failure';
import { JSON_TYPE, writeFailureHeaders } from '../../edge/send-failure';
import { costExtension } from './cost-extension';
import { type GraphQLFailure, graphqlFailures, graphqlStatus } from './graphql-error';

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

/** Sends the failure of a request that never became an operation, in the format of GraphQL over HTTP. */
export function sendGraphqlFailure(reply: FastifyReply, failure: RequestFailure): FastifyReply {
  writeFailureHeaders(reply, failure);
  return sendErrors(reply, graphqlStatus(failure), graphqlFailures(failure, reply.request.id));
}

export function sendErrors(reply: FastifyReply, status: number, errors: readonly GraphQLFailure[]): FastifyReply {
  const takesGraphqlType = (reply.request.headers.accept ?? '').includes('application/graphql-response+json');
  return reply
    .code(status)
    .header('content-type', takesGraphqlType ? GRAPHQL_TYPE : JSON_TYPE)
    .send(JSON.stringify({ errors, ...costExtension(reply.request) }));
}
