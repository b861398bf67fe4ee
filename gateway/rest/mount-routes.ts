import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Lifetime } from '../../src/auth/request-lifetime';
import { InvariantError } from '../../src/errors/invariant-error';
import { admit } from '../edge/admission';
import type { GraphDependencies } from '../edge/dependencies';
import { logFailure } from '../edge/log-failure';
import { refusePrefetch } from '../edge/prefetch';
import { createRequestDeadline, type WithinTime } from '../edge/request-deadline';
import { requestContext } from '../edge/request-scope';
import { JSON_TYPE, writeFailureHeaders } from '../edge/send-failure';
import { type CoercedRequest, type Coercer, compileCoercer, type FieldCheck } from './coercion/compile-coercer';
import { isRetryable, operationFailure, renderEnvelope } from '../edge/failure';
import { executeOnce, type RenderedResponse } from '../edge/idempotency';
import { type MaybePromise, whenDone } from '../federation/maybe-promise';
import type { OperationResult } from '../federation/operation-result';
import { restView } from './rest-view';
import { deprecatedParameters, ignoredParameters, linkFor, routeHeaders } from './route-headers';
import type { RestRoute } from './route-table';
import { compileRouteOperation, type ExecuteRoute } from './compile-route-operation';

/** Dependencies of the REST routes. */
export interface RestDependencies extends GraphDependencies {
  /** Checks that concern several arguments of a route, by its operation. */
  readonly fieldChecks?: Readonly<Partial<Record<string, FieldCheck>>>;
}

type RouteDependencies = RestDependencies & { readonly withinTime: WithinTime };

/** A route with everything that is prepared before its first request. */
interface CompiledRoute {
  readonly route: RestRoute;
  readonly coerce: Coercer;
  readonly execute: ExecuteRoute;
  readonly headers: Readonly<Record<string, string>>;
}

const HEADERS = { 'content-type': JSON_TYPE };

/** Serves a route table. */
export function mountRoutes(app: FastifyInstance, deps: RestDependencies, routes: readonly RestRoute[]): void {
  const withinTime = createRequestDeadline(deps.config.REQUEST_TIMEOUT_MS);
  const { schema } = deps.graph;
  // A route with sections has a view of its own: its sections must not appear in the documents of other routes.
  const sharedView = restView(
    schema,
    routes.filter(({ sections }) => sections === undefined),
  );
  /** Deprecated paths share the operation of their replacement. */
  const compiled = new Map<string, ExecuteRoute>();
  for (const route of routes) {
    const view = route.sections === undefined ? sharedView : restView(schema, [route]);
    const coerce = compileCoercer(view, route, deps.fieldChecks?.[route.operation]);
    const execute =
      (route.sections === undefined ? compiled.get(route.operation) : undefined) ??
      compileRouteOperation(deps.graph, view, route);
    if (route.sections === undefined) compiled.set(route.operation, execute);
    mountRoute(app, { ...deps, withinTime }, { route, coerce, execute, headers: routeHeaders(route) });
  }
}

function mountRoute(app: FastifyInstance, deps: RouteDependencies, compiled: CompiledRoute): void {
  const { route, headers } = compiled;
  // A HEAD executes the operation of its GET, so a GET that may write has no HEAD.
  const methods: HTTPMethods[] = route.method === 'GET' && route.mayWrite !== true ? ['GET', 'HEAD'] : [route.method];
  app.route({
    method: methods,
    url: route.path,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    onRequest: (request, reply) => {
      reply.headers(headers);
      if (headers['link'] !== undefined) reply.header('link', linkFor(headers['link'], paramsOf(request)));
      const admitted = admit(deps, request, route.auth);
      return route.mayWrite === true ? admitted.then(() => refusePrefetch(request)) : admitted;
    },
    handler: (request, reply) => {
      const coerced = compiled.coerce({ params: paramsOf(request), query: queryOf(request), body: request.body });
      if (coerced.ignored.length > 0) reply.header('x-ignored-parameters', ignoredParameters(coerced.ignored));
      if (coerced.deprecated.length > 0) reply.headers(deprecatedParameters(coerced.deprecated));
      if (coerced.refusal !== undefined) throw coerced.refusal;
      const responding = deps.withinTime(reply, (lifetime) =>
        executeKeyed(deps, compiled, { request, reply, coerced, lifetime }),
      );
      return whenDone(responding, (response) => bodyOf(reply, response));
    },
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly coerced: CoercedRequest;
  readonly lifetime: Lifetime;
}

function executeKeyed(
  deps: GraphDependencies,
  compiled: CompiledRoute,
  exchange: Exchange,
): MaybePromise<RenderedResponse> {
  const { request, coerced } = exchange;
  const key = request.headers['idempotency-key'];
  const { principal } = request.scope;
  const { route } = compiled;
  if (key === undefined || route.method !== 'POST' || principal === undefined) return execute(deps, compiled, exchange);
  const keyed = { key: String(key), principal, operation: route.operation, requestId: request.id };
  return executeOnce(deps, { ...keyed, variables: coerced.variables }, () => execute(deps, compiled, exchange));
}

function execute(deps: GraphDependencies, compiled: CompiledRoute, exchange: Exchange): MaybePromise<RenderedResponse> {
  const { request, coerced, lifetime } = exchange;
  const operation = { request, rootFields: [compiled.route.operation], lifetime };
  const executed = deps.heavyWork.run(operation, () =>
    compiled.execute(coerced.variables, requestContext(request, lifetime)),
  );
  return whenDone(executed, ({ data, errors }) =>
    data === undefined
      ? renderFailure(deps, exchange, errors)
      : { status: compiled.route.status, headers: HEADERS, body: data },
  );
}

function renderFailure(
  deps: Pick<GraphDependencies, 'log'>,
  { request, reply }: Exchange,
  errors: OperationResult['errors'],
): RenderedResponse {
  const [error] = errors ?? [];
  if (error === undefined) throw new InvariantError('the response of the graph has neither data nor errors');
  const failure = operationFailure(error);
  // A caller that has disconnected ended the work itself: the request log marks it.
  const wasEnded = reply.raw.destroyed && failure.code === 'SUBREQUEST_TIMEOUT';
  if (!wasEnded) logFailure(deps.log, failure, { requestId: request.id, error });
  writeFailureHeaders(reply, failure);
  const body = renderEnvelope(failure, request.id);
  return { status: failure.status, headers: HEADERS, body, isRetryable: isRetryable(failure) };
}

/** Returns the body alone: Fastify would wait for a promise of the reply until the reply has been sent. */
function bodyOf(reply: FastifyReply, { status, headers, body }: RenderedResponse): string {
  reply.code(status).headers(headers);
  return body;
}

const paramsOf = (request: FastifyRequest): Readonly<Record<string, string>> =>
  request.params as Readonly<Record<string, string>>;

const queryOf = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  request.query as Readonly<Record<string, unknown>>;
