import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Lifetime } from '../../../src/auth/lifetime';
import { invariant } from '../../../src/errors/invariant-error';
import type { Answer } from '../../rest/answer';
import { failureOf } from '../../rest/failure';
import { admitAnyone } from '../admission';
import type { GatewayDependencies, GraphDependencies } from '../dependencies';
import { logFailure } from '../log-failure';
import { refusePrefetch } from '../prefetch';
import { createGraphiqlPage } from '../pages/graphiql-page';
import { sendPage } from '../pages/page';
import { createRequestDeadline } from '../request-deadline';
import { contextOf } from '../request-scope';
import { createApolloServer, type GraphQLExchange } from './apollo-server';
import { createDocumentStore } from './document-store';
import { createEventStreamHandler } from './event-stream-operations';
import { refuseForgery } from './forgery';
import { answerKeyedOperation } from './keyed-operation';
import { createOpenOperation } from './open-operation';
import { sendGraphqlFailure } from './send-graphql-failure';

export interface MountedGraphql {
  /** Completes the event streams that are open: nothing else would ever end them. */
  closeStreams(): void;
  /** Frees what it holds; no request may run any more. */
  stop(): Promise<void>;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Serves `/graphql`: operations over HTTP, subscriptions (and any operation that asks for it) over server-sent events, and
 * GraphiQL for browsers.
 */
export async function mountGraphql(
  app: FastifyInstance,
  deps: GraphDependencies & Pick<GatewayDependencies, 'example'>,
): Promise<MountedGraphql> {
  const server = { ...deps, documents: createDocumentStore(), open: createOpenOperation(deps) };
  const page = createGraphiqlPage(deps.example);
  const apollo = createApolloServer(server);
  await apollo.start();
  const streams = createEventStreamHandler(server);
  const overHttp = overApollo(apollo, deps);
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    onRequest: async (request, reply) => {
      if (isPageRequest(request)) return;
      // What is answered may be how to pay, or tell of people; a query may open a payment.
      reply.header('cache-control', 'no-store');
      refuseForgery(request);
      refusePrefetch(request);
      await admitAnyone(deps, request);
    },
    handler: (request, reply) => {
      if (isPageRequest(request)) return sendPage(page, request, reply);
      return accepts(request, 'text/event-stream') ? streams.handle(request, reply) : overHttp(request, reply);
    },
    errorHandler: (error, request, reply) => {
      const failure = failureOf(error);
      logFailure(deps.log, failure, { requestId: request.id, error });
      sendGraphqlFailure(reply, failure);
    },
  });
  return { closeStreams: () => streams.close(), stop: () => apollo.stop() };
}

const accepts = ({ headers }: FastifyRequest, type: string): boolean => (headers.accept ?? '').includes(type);

const isPageRequest = (request: FastifyRequest): boolean => request.method === 'GET' && accepts(request, 'text/html');

/**
 * A well-formed request for `application/json` is answered with 200 even when its document is not valid; with
 * `application/graphql-response+json` the status tells.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-application-json
 */
function overApollo(apollo: ReturnType<typeof createApolloServer>, deps: GraphDependencies): Handler {
  const withinTime = createRequestDeadline(deps.config.REQUEST_TIMEOUT_MS);
  const lifetimes = new WeakMap<FastifyRequest, Lifetime>();
  const exchanges = new WeakMap<FastifyRequest, GraphQLExchange>();
  const handler = fastifyApolloHandler(apollo, {
    context: (request) => {
      const lifetime = lifetimes.get(request);
      invariant(lifetime, 'a request reached the server without its deadline');
      const exchange = { request, context: contextOf(request, lifetime), verdict: { isWellFormed: false } };
      exchanges.set(request, exchange);
      return Promise.resolve(exchange);
    },
  }) as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<string>;
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Answer> => {
    const body = await handler(request, reply);
    const type = String(reply.getHeader('content-type'));
    const isWellFormed = exchanges.get(request)?.verdict.isWellFormed === true;
    const isInvalid = reply.statusCode === 400 && type.startsWith('application/json') && isWellFormed;
    return { status: isInvalid ? 200 : reply.statusCode, headers: { 'content-type': type }, body };
  };
  return async (request, reply) => {
    const { status, headers, body } = await withinTime(reply, (lifetime) => {
      lifetimes.set(request, lifetime);
      return answerKeyedOperation(deps, request, () => answer(request, reply));
    });
    reply.code(status).headers(headers);
    return body;
  };
}
