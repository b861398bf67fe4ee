import { METHODS } from 'node:http';
import cors from '@fastify/cors';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { INTERNAL_HEADER_PREFIX } from '../federation/internal-request';
import { requestProblem, failureOf } from '../rest/failure';
import { createClientErrorHandler, createExpectationHandler } from './client-errors';
import { LARGE_BODY_MS, limitBodyTime } from './body-time';
import type { GatewayDependencies } from './dependencies';
import { acceptJsonBodies } from './json-body';
import { logFailure } from './log-failure';
import {
  type RateLimitHeaders,
  rateLimitHeaders,
  untouchedAllowance,
  writeRateLimitHeaders,
} from './rate-limit-headers';
import { requestIdOf } from './request-id';
import { logRequests } from './request-log';
import { createRequestScope } from './request-scope';
import { sendFailure } from './send-failure';

const BODY_LIMIT = 1_048_576;
/** Above every id, below the limit of a header block: an overlong id reaches its scalar and is a 422 like any other. */
const MAX_PARAMETER_LENGTH = 16_384;
const HOST = /^(?:[\w.~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Headers between our own processes, and what proxies say of the name and scheme that a caller used, which nothing needs. */
const isNotForUs = (name: string): boolean =>
  name.startsWith(INTERNAL_HEADER_PREFIX) || name === 'x-forwarded-host' || name === 'x-forwarded-proto';

const EXPOSED_HEADERS = [
  ...['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ...['retry-after', 'x-request-id', 'x-ignored-parameters', 'idempotency-replayed', 'deprecation', 'sunset', 'link'],
  'x-deprecated-parameters',
];

/**
 * An HTTP server that keeps the promises of every route: request id, error envelope, rate-limit headers, CORS, hardened
 * sockets, and a log line without anything that a caller would not want to read there.
 */
export async function createApp(deps: Pick<GatewayDependencies, 'config' | 'log'>): Promise<FastifyInstance> {
  const { config, log } = deps;
  const allowance = untouchedAllowance(config.RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED);
  const requestTimeout = LARGE_BODY_MS;
  const app = fastify({
    logger: false,
    // Bodies are timed by route. A missing Host is refused below, in the envelope.
    http: { headersTimeout: 5000, requestTimeout, connectionsCheckingInterval: 1000, requireHostHeader: false },
    requestTimeout,
    bodyLimit: BODY_LIMIT,
    trustProxy: config.TRUSTED_PROXIES > 0 && ((_address, hop) => hop < config.TRUSTED_PROXIES),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(allowance),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      writeRateLimitHeaders(reply, allowance);
      sendFailure(reply, failureOf(error));
    },
  });
  for (const method of METHODS) {
    // Every method that Node parses reaches our 404 and 405; CONNECT never becomes a request.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.server.on('checkExpectation', createExpectationHandler(allowance));
  addHooks(app, log, allowance);
  await app.register(cors, {
    origin: config.CORS_ORIGINS.includes('*') ? '*' : [...config.CORS_ORIGINS],
    methods: ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'],
    allowedHeaders: ['x-api-key', 'authorization', 'content-type', 'accept', 'idempotency-key', 'x-request-id'],
    exposedHeaders: EXPOSED_HEADERS.join(', '), // else it is joined for every request
    maxAge: 86_400,
    strictPreflight: false,
  });
  acceptJsonBodies(app);
  return app;
}

function addHooks(app: FastifyInstance, log: Logger, allowance: RateLimitHeaders): void {
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, reply, done) => {
    request.scope = createRequestScope();
    reply.header('x-request-id', request.id);
    const { headers, httpVersion } = request.raw;
    for (const name in headers) if (name.startsWith('x-') && isNotForUs(name)) Reflect.deleteProperty(headers, name);
    const needsHost = httpVersion === '1.1' || headers.host !== undefined;
    done(
      needsHost && !HOST.test(headers.host ?? '') ? requestProblem(400, 'host', 'is missing or malformed') : undefined,
    );
  });
  limitBodyTime(app, BODY_LIMIT);
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    const { windows } = request.scope;
    writeRateLimitHeaders(reply, windows === undefined ? allowance : rateLimitHeaders(windows));
    done(null, payload);
  });
  logRequests(app, log);
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, request.routeOptions.bodyLimit);
    logFailure(log, failure, { requestId: request.id, error });
    return sendFailure(reply, failure);
  });
}
