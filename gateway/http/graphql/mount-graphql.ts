import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Lifetime } from '../../../src/auth/request-lifetime';
import { invariant } from '../../../src/errors/invariant-error';
import { failureOf, requestProblem } from '../../edge/failure';
import { admitAnonymous } from '../../edge/admission';
import type { GraphDependencies } from '../../edge/dependencies';
import type { RenderedResponse } from '../../edge/idempotency';
import { assertTextWithinLimits } from '../../federation/document/text-limits';
import type { GatewayDependencies } from '../gateway-dependencies';
import { logFailure } from '../../edge/log-failure';
import { refusePrefetch } from '../../edge/prefetch';
import { createGraphiqlPage } from '../pages/graphiql-page';
import { sendPage } from '../pages/page';
import { createRequestDeadline } from '../../edge/request-deadline';
import { requestContext } from '../../edge/request-scope';
import { createApolloServer, type GraphQLExchange } from './apollo-server';
import { createDocumentStore } from './document-store';
import { createEventStreamHandler } from './event-stream-operations';
import { executeKeyedOperation } from './keyed-operation';
import { createOpenOperation } from './open-operation';
import { accepts, sendGraphqlFailure } from './send-graphql-failure';

export interface MountedGraphql {
  /** Completes the open event streams, which would otherwise never end. */
  closeStreams(): void;
  /** Stops Apollo Server. No request may be running. */
  stop(): Promise<void>;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Serves `/graphql`: operations over HTTP, subscriptions (and any operation on request) over server-sent events, and
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
      // Responses may contain payment instructions and personal data, and a query may open a payment.
      reply.header('cache-control', 'no-store');
      refuseForgery(request);
      refusePrefetch(request);
      await admitAnonymous(deps, request);
    },
    handler: (request, reply) => {
      if (isPageRequest(request)) return sendPage(page, request, reply);
      return accepts(request, 'text/event-stream') ? streams.handle(request, reply) : overHttp(request, reply);
    },
    errorHandler: (error, request, reply) => {
      const failure = failureOf(error, request);
      logFailure(deps.log, failure, { requestId: request.id, error });
      sendGraphqlFailure(reply, failure);
    },
  });
  return { closeStreams: () => streams.close(), stop: () => apollo.stop() };
}

/** The document as it was sent, or no text. Anything else is refused later. */
function textOf({ method, body, query }: FastifyRequest): string {
  const sent = (method === 'GET' ? query : body) as { readonly query?: unknown } | null | undefined;
  return typeof sent?.query === 'string' ? sent.query : '';
}

const PREFLIGHT_HEADERS = ['x-apollo-operation-name', 'apollo-require-preflight'];
/** Fetch modes in which a browser sends a request for a page that may not read the response. */
const BLIND_MODES = new Set(['no-cors', 'navigate', 'websocket']);

/**
 * Refuses a GET that another site made a browser send without a preflight. A POST needs `application/json`, which always
 * causes a preflight, and credentials are headers, which browsers never add by themselves.
 */
function refuseForgery({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' || !BLIND_MODES.has(headers['sec-fetch-mode'] ?? '')) return;
  if (PREFLIGHT_HEADERS.some((name) => (headers[name] ?? '') !== '')) return;
  throw requestProblem(400, 'sec-fetch-mode', 'of a cross-site request forgery: send apollo-require-preflight');
}

const isPageRequest = (request: FastifyRequest): boolean => request.method === 'GET' && accepts(request, 'text/html');

/**
 * Handles requests over HTTP. With `application/json` a well-formed request gets 200 even when its document is invalid; with
 * `application/graphql-response+json` it gets the status of the failure.
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
      invariant(lifetime, 'a request reached Apollo Server without a lifetime');
      const exchange = { request, context: requestContext(request, lifetime), outcome: { isWellFormed: false } };
      exchanges.set(request, exchange);
      return Promise.resolve(exchange);
    },
  }) as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<string>;
  const execute = async (request: FastifyRequest, reply: FastifyReply): Promise<RenderedResponse> => {
    const body = await handler(request, reply);
    const type = String(reply.getHeader('content-type'));
    const isWellFormed = exchanges.get(request)?.outcome.isWellFormed === true;
    const isInvalid = reply.statusCode === 400 && type.startsWith('application/json') && isWellFormed;
    return { status: isInvalid ? 200 : reply.statusCode, headers: { 'content-type': type }, body };
  };
  return async (request, reply) => {
    const { status, headers, body } = await withinTime(reply, async (lifetime) => {
      lifetimes.set(request, lifetime);
      await deps.heavyWork.takeTurn(request, lifetime);
      assertTextWithinLimits(textOf(request));
      return executeKeyedOperation(deps, request, () => execute(request, reply));
    });
    reply.code(status).headers(headers);
    return body;
  };
}
