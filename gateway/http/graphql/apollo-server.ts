import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { isUncharged, operationFailure, requestFailure, requestProblem, retryAfterSeconds } from '../../edge/failure';
import type { OperationResult } from '../../federation/federated-graph';
import type { GraphDependencies } from '../../edge/dependencies';
import { logFailure } from '../../edge/log-failure';
import { costExtension } from './cost-extension';
import { type DocumentStore, PARSE_OPTIONS } from './document-store';
import { exposeOperationError, graphqlFailures, graphqlStatus, toGraphQLError, withLocations } from './graphql-error';
import type { OpenOperation } from './open-operation';
import { countRootFields, measureOperation } from './operation-metrics';
import { createResultRenderer } from './render-result';

/** Context of a request in Apollo Server's pipeline. */
export interface GraphQLExchange {
  readonly request: FastifyRequest;
  readonly context: RequestContext;
  /** Set by a plugin. A nested object, because Apollo Server copies contexts. */
  readonly outcome: { isWellFormed: boolean };
}

export interface GraphQLServerDependencies extends Pick<
  GraphDependencies,
  'config' | 'graph' | 'heavyWork' | 'log' | 'metrics'
> {
  readonly documents: DocumentStore;
  readonly open: OpenOperation;
}

type Gateway = ApolloServerOptionsWithGateway<GraphQLExchange>['gateway'];
type Executor = NonNullable<Awaited<ReturnType<Gateway['load']>>['executor']>;
type ExecutorResult = Awaited<ReturnType<Executor>>;

/** Apollo Server handles the HTTP protocol. The graph validates, plans and executes. */
export function createApolloServer(deps: GraphQLServerDependencies): ApolloServer<GraphQLExchange> {
  const { documents, graph, log } = deps;
  return new ApolloServer<GraphQLExchange>({
    gateway: {
      onSchemaLoadOrUpdate(callback) {
        callback({ apiSchema: graph.schema, coreSupergraphSdl: graph.supergraphSdl });
        return () => undefined;
      },
      load: () => Promise.resolve({ executor: createExecutor(deps) }),
      stop: () => Promise.resolve(),
    },
    documentStore: documents,
    parseOptions: PARSE_OPTIONS,
    // The graph limits and validates a document, once.
    dangerouslyDisableValidation: true,
    introspection: true,
    // `refuseForgery` replaces it and accepts plain GETs that no browser sent.
    csrfPrevention: false,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    formatError: withLocations,
    stringifyResult: createResultRenderer(),
    nodeEnv: 'production',
    stopOnTerminationSignals: false,
    logger: {
      debug: (message: unknown) => log.debug(message),
      info: (message: unknown) => log.debug(message),
      warn: (message: unknown) => log.warn(message),
      error: (message: unknown) => log.error(message),
    },
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      {
        requestDidStart: () =>
          Promise.resolve({
            willSendResponse({ response: { body }, contextValue }) {
              const [error] = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
              contextValue.outcome.isWellFormed = error?.extensions?.['code'] !== 'BAD_REQUEST';
              return Promise.resolve();
            },
          }),
      },
    ],
  });
}

function createExecutor(deps: GraphQLServerDependencies): Executor {
  const execute = createOperationExecutor(deps);
  return (given) =>
    measureOperation(deps.metrics, { document: given.document, operationName: given.request.operationName }, () =>
      execute(given),
    );
}

function createOperationExecutor({
  open,
  heavyWork,
  log,
  metrics,
}: GraphQLServerDependencies): (given: Parameters<Executor>[0]) => Promise<ExecutorResult> {
  return async ({ document, request, context }) => {
    const exchange = context as unknown as GraphQLExchange;
    const { requestId } = exchange.context;
    const variables = request.variables ?? {};
    try {
      const operation = await open(exchange.request, { document, operationName: request.operationName, variables });
      if (operation.kind === 'subscription') throw requestProblem(400, 'accept', 'must be text/event-stream');
      const { lifetime } = exchange.context;
      const rootFields = operation.rootFieldsOf(variables);
      countRootFields(metrics, rootFields);
      exchange.request.scope.rootFields = rootFields.length;
      const { data, errors } = await heavyWork.run({ request: exchange.request, rootFields, lifetime }, () =>
        operation.execute(variables, exchange.context),
      );
      const shown = costExtension(exchange.request);
      const result = data === undefined ? shown : { ...shown, data: data as NonNullable<ExecutorResult['data']> };
      if (errors === undefined) return result;
      if (isUnserved({ data, errors })) exchange.request.scope.isUnserved = true;
      return { ...result, errors: errors.map((error) => toGraphQLError(exposeOperationError(error, requestId))) };
    } catch (error) {
      return { ...costExtension(exchange.request), errors: refusalErrors(error, { log, exchange }) };
    }
  };
}

/** True when the response has no data, for reasons for which the caller is not charged. */
const isUnserved = ({ data, errors }: OperationResult): boolean =>
  Object.values(data ?? {}).every((field) => field === null) &&
  errors?.every((error) => isUncharged(operationFailure(error))) === true;

/** Errors of an operation that was not executed. `extensions.http` sets the status of the response and is removed from it. */
function refusalErrors(
  error: unknown,
  { log, exchange }: { log: GraphDependencies['log']; exchange: GraphQLExchange },
): readonly GraphQLError[] {
  const failure = requestFailure(error);
  const { requestId } = exchange.context;
  if (isUncharged(failure)) exchange.request.scope.isUnserved = true;
  logFailure(log, failure, { requestId, error });
  const retryAfter = retryAfterSeconds(failure);
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', String(retryAfter)]]);
  const http = { status: graphqlStatus(failure), headers };
  return graphqlFailures(failure, requestId).map((shown) => toGraphQLError(shown, http));
}
