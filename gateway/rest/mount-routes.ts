import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Lifetime } from '../../src/auth/lifetime';
import { InvariantError } from '../../src/errors/invariant-error';
import { admit } from '../edge/admission';
import type { GraphDependencies } from '../edge/dependencies';
import { logFailure } from '../edge/log-failure';
import { refusePrefetch } from '../edge/prefetch';
import { createRequestDeadline, type WithinTime } from '../edge/request-deadline';
import { requestContext } from '../edge/request-scope';
import { JSON_TYPE, writeFailureHeaders } from '../edge/send-failure';
import { type CoercedRequest, type Coercer, compileCoercer, type FieldCheck } from './coercion/compile-coercer';
import { operationFailure, renderEnvelope } from '../edge/failure';
import { executeOnce, type RenderedResponse } from '../edge/idempotency';
import { restView, rootField } from './rest-view';
import { deprecatedParameters, ignoredParameters, linkFor, routeHeaders } from './route-headers';
import type { RestRoute } from './route-table';
import { type RunOperation, sofaOperations } from './sofa-operations';

/** Dependencies of the REST routes. */
export interface RestDependencies extends GraphDependencies {
  /** Checks that concern several arguments of a route, by its operation. */
  readonly fieldChecks?: Readonly<Partial<Record<string, FieldCheck>>>;
}

type RouteDependencies = RestDependencies & { readonly withinTime: WithinTime };

/** A route with everything that can be prepared before its first request. */
interface CompiledRoute {
  readonly route: RestRoute;
  readonly coerce: Coercer;
  readonly run: RunOperation;
  readonly headers: Readonly<Record<string, string>>;
}

const HEADERS = { 'content-type': JSON_TYPE };

/** Serves a route table. */
export async function mountRoutes(
  app: FastifyInstance,
  deps: RestDependencies,
  routes: readonly RestRoute[],
): Promise<void> {
  const withinTime = createRequestDeadline(deps.config.REQUEST_TIMEOUT_MS);
  const view = restView(deps.graph.schema, routes);
  const operations = await sofaOperations(deps.graph, view, routes);
  for (const route of routes) {
    const run = operations.get(route.operation);
    if (run === undefined) throw new InvariantError(`${route.operation} was not compiled`);
    const field = rootField(view, route.operation);
    const coerce = compileCoercer(route, field, deps.fieldChecks?.[route.operation]);
    mountRoute(app, { ...deps, withinTime }, { route, coerce, run, headers: routeHeaders(route) });
  }
}

function mountRoute(app: FastifyInstance, deps: RouteDependencies, compiled: CompiledRoute): void {
  const { route, headers } = compiled;
  // A HEAD runs what the GET runs; where that may write, there is none.
  const methods: HTTPMethods[] = route.method === 'GET' && route.mayWrite !== true ? ['GET', 'HEAD'] : [route.method];
  app.route({
    method: methods,
    url: route.path,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    onRequest: async (request, reply) => {
      reply.headers(headers);
      if (headers['link'] !== undefined) reply.header('link', linkFor(headers['link'], paramsOf(request)));
      await admit(deps, request, route.auth);
      if (route.mayWrite === true) refusePrefetch(request);
    },
    handler: (request, reply) => {
      const call = compiled.coerce({ params: paramsOf(request), query: queryOf(request), body: request.body });
      if (call.ignored.length > 0) reply.header('x-ignored-parameters', ignoredParameters(call.ignored));
      if (call.deprecated.length > 0) reply.headers(deprecatedParameters(call.deprecated));
      const answering = deps.withinTime(reply, (lifetime) =>
        answerKeyed(deps, compiled, { request, reply, call, lifetime }),
      );
      return answering.then((answered) => bodyOf(reply, answered));
    },
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly call: CoercedRequest;
  readonly lifetime: Lifetime;
}

function answerKeyed(deps: GraphDependencies, compiled: CompiledRoute, exchange: Exchange): Promise<RenderedResponse> {
  const { request, call } = exchange;
  const key = request.headers['idempotency-key'];
  const { principal } = request.scope;
  const { route } = compiled;
  if (key === undefined || route.method !== 'POST' || principal === undefined) return answer(deps, compiled, exchange);
  const keyed = { key: String(key), customerId: principal.customerId, operation: route.operation };
  return executeOnce(deps, { ...keyed, variables: call.variables }, () => answer(deps, compiled, exchange));
}

async function answer(deps: GraphDependencies, compiled: CompiledRoute, exchange: Exchange): Promise<RenderedResponse> {
  const { request, reply, call, lifetime } = exchange;
  const { data, errors } = await compiled.run(call.variables, requestContext(request, lifetime));
  if (data !== undefined) return { status: compiled.route.status, headers: HEADERS, body: data };
  const [error] = errors ?? [];
  if (error === undefined) throw new InvariantError('the graph answered with neither data nor errors');
  const failure = operationFailure(error);
  logFailure(deps.log, failure, { requestId: request.id, error });
  writeFailureHeaders(reply, failure);
  return { status: failure.status, headers: HEADERS, body: renderEnvelope(failure, request.id) };
}

/** The body alone: a promise of the reply itself would wait until the reply has been sent, and watch it for that. */
function bodyOf(reply: FastifyReply, { status, headers, body }: RenderedResponse): string {
  reply.code(status).headers(headers);
  return body;
}

const paramsOf = (request: FastifyRequest): Readonly<Record<string, string>> =>
  request.params as Readonly<Record<string, string>>;

const queryOf = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  request.query as Readonly<Record<string, unknown>>;
