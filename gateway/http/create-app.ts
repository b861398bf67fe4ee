import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, METHODS } from 'node:http';
import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { INTERNAL_HEADER_PREFIX } from '../federation/subgraph/internal-request';
import { failureOf, requestProblem, requestFailure } from '../edge/failure';
import { beginInTurns } from './begin-in-turns';
import { createClientErrorHandler, createExpectationHandler } from './client-errors';
import { LARGE_BODY_MS, limitBodyTime } from './body-time';
import type { GraphDependencies } from '../edge/dependencies';
import { corsOptions, type OriginConfig, originHeaders } from './cross-origin';
import { acceptJsonBodies } from './json-body';
import { logFailure } from '../edge/log-failure';
import type { HeaderPairs } from './header-pairs';
import { rateLimitHeaders, untouchedAllowance, writeRateLimitHeaders } from './rate-limit-headers';
import { paceRefusals } from './pace-refusals';
import { endRefusedPipelines, handlePipelinedInTurn } from './pipelining';
import { logRequests } from './request-log';
import { measureRequests } from './request-metrics';
import { traceRequests } from './request-traces';
import { discardUnreadBodies } from './unread-bodies';
import { limitUploads } from './upload-capacity';
import { createRequestScope } from '../edge/request-scope';
import { sendFailure } from '../edge/send-failure';

const BODY_LIMIT = 1_048_576;
const SERVER_OPTIONS = {
  headersTimeout: 5000,
  /** `limitBodyTime` times bodies by route. */
  requestTimeout: LARGE_BODY_MS,
  connectionsCheckingInterval: 1000,
  /** Above that of usual load balancers: a connection that they reuse is not closed in the same moment. */
  keepAliveTimeout: 72_000,
  /** A missing Host is refused by a hook, with the envelope. */
  requireHostHeader: false,
};
/** Above the length of every id, so that an overlong id reaches its scalar and is refused with a 422. */
const MAX_PARAMETER_LENGTH = 16_384;
const HOST = /^(?:[\w.~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Headers that only the gateway may send to subgraphs, and headers of proxies that nothing reads. */
const isRemovedHeader = (name: string): boolean =>
  name.startsWith(INTERNAL_HEADER_PREFIX) || name === 'x-forwarded-host' || name === 'x-forwarded-proto';

/** Number of `Host` headers. Node keeps the first of several, and a proxy may have used another. */
function countHosts(namesAndValues: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < namesAndValues.length; at += 2) {
    const name = namesAndValues[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `x-request-id` when it is valid, otherwise a new one. */
function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/**
 * Creates the HTTP server with the behaviour of every route: request id, error envelope, rate-limit headers, CORS,
 * hardened sockets, and a request log without sensitive data.
 */
export async function createApp(
  deps: Pick<GraphDependencies, 'config' | 'log' | 'findLimit' | 'heavyWork' | 'metrics' | 'tracer'>,
): Promise<FastifyInstance> {
  const { config, log, findLimit, heavyWork, metrics, tracer } = deps;
  const allowance = untouchedAllowance(config.RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED);
  /** For responses to what never became a request. */
  const bareHeaders = [...allowance, ...originHeaders(config, undefined)];
  const app = fastify({
    logger: false,
    serverFactory: (handle) => createServer(SERVER_OPTIONS, handlePipelinedInTurn(handle)),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.TRUSTED_PROXIES > 0 && ((_address, hop) => hop < config.TRUSTED_PROXIES),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(bareHeaders),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      reply.header('connection', 'close'); // no hook runs that would bound the body
      writeRateLimitHeaders(reply, allowance);
      allowOrigin(request, reply, config);
      sendFailure(reply, requestFailure(error));
    },
  });
  for (const method of METHODS) {
    // Every method that Node parses gets the 404 and 405 of this service; CONNECT never becomes a request.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.server.on('checkExpectation', createExpectationHandler(bareHeaders));
  if (tracer !== undefined) traceRequests(app, tracer);
  addHooks(app, { config, log, findLimit, metrics }, allowance);
  await app.register(cors, corsOptions(config));
  acceptJsonBodies(app, heavyWork);
  return app;
}

function addHooks(
  app: FastifyInstance,
  { config, log, findLimit, metrics }: Pick<GraphDependencies, 'config' | 'log' | 'findLimit' | 'metrics'>,
  allowance: HeaderPairs,
): void {
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, reply, done) => {
    request.scope = createRequestScope();
    reply.header('x-request-id', request.id);
    const { headers, httpVersion, rawHeaders } = request.raw;
    for (const name in headers)
      if (name.startsWith('x-') && isRemovedHeader(name)) Reflect.deleteProperty(headers, name);
    const needsHost = httpVersion === '1.1' || headers.host !== undefined;
    if (needsHost && !HOST.test(headers.host ?? '')) done(requestProblem(400, 'host', 'is missing or malformed'));
    else if (countHosts(rawHeaders) > 1) done(requestProblem(400, 'host', 'must be sent once'));
    else done();
  });
  endRefusedPipelines(app);
  paceRefusals(app);
  // These also cover the time for which a request waits for its turn.
  logRequests(app, log);
  if (metrics !== undefined) measureRequests(app, metrics);
  limitBodyTime(app, BODY_LIMIT);
  beginInTurns(app, config.QUEUE_TIMEOUT_MS);
  discardUnreadBodies(app);
  limitUploads(app, { ordinaryBytes: BODY_LIMIT, findLimit });
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    const { windows } = request.scope;
    writeRateLimitHeaders(reply, windows === undefined ? allowance : rateLimitHeaders(windows));
    done(null, payload);
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, request);
    logFailure(log, failure, { requestId: request.id, error });
    allowOrigin(request, reply, config);
    return sendFailure(reply, failure);
  });
}

/** The hooks before the one of the CORS plugin may have refused the request. */
function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, config: OriginConfig): void {
  for (const [name, value] of originHeaders(config, headers.origin))
    if (!reply.hasHeader(name)) reply.header(name, value);
}
