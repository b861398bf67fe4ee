import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { failureOf, requestProblem, retryAfterOf } from '../../rest/failure';
import type { GatewayDependencies } from '../dependencies';
import { logFailure } from '../log-failure';
import { type DocumentStore, PARSE_OPTIONS } from './document-store';
import { exposeOperationError, graphqlFailures, graphqlStatus, toGraphQLError, withLocations } from './graphql-error';
import type { OpenOperation } from './open-operation';

/** What the pipeline of the GraphQL server knows of a request. */
export interface GraphQLExchange {
  readonly request: FastifyRequest;
  readonly context: RequestContext;
  /** Whether the request was understood as one, whatever came of it. In an object of its own: the server copies contexts. */
  readonly verdict: { isWellFormed: boolean };
}

export interface GraphQLServerDependencies extends Pick<GatewayDependencies, 'config' | 'graph' | 'log'> {
  readonly documents: DocumentStore;
  readonly open: OpenOperation;
}

type Gateway = ApolloServerOptionsWithGateway<GraphQLExchange>['gateway'];
type Executor = NonNullable<Awaited<ReturnType<Gateway['load']>>['executor']>;
type Execution = Awaited<ReturnType<Executor>>;

/** Apollo Server for the HTTP protocol; validation, planning and execution are the graph's. */
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
    // The graph limits a document before it validates it, and does both once.
    dangerouslyDisableValidation: true,
    introspection: true,
    // `refuseForgery` checks, and lets plain GETs of non-browsers through.
    csrfPrevention: false,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    formatError: withLocations,
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
              contextValue.verdict.isWellFormed = error?.extensions?.['code'] !== 'BAD_REQUEST';
              return Promise.resolve();
            },
          }),
      },
    ],
  });
}

function createExecutor({ open, log }: GraphQLServerDependencies): Executor {
  return async ({ document, request, context }): Promise<Execution> => {
    const exchange = context as unknown as GraphQLExchange;
    const { requestId } = exchange.context;
    const variables = request.variables ?? {};
    try {
      const operation = await open(exchange.request, { document, operationName: request.operationName, variables });
      if (operation.kind === 'subscription') throw requestProblem(400, 'accept', 'must be text/event-stream');
      const { data, errors } = await operation.execute(variables, exchange.context);
      const result = data === undefined ? {} : { data: data as NonNullable<Execution['data']> };
      if (errors === undefined) return result;
      return { ...result, errors: errors.map((error) => toGraphQLError(exposeOperationError(error, requestId))) };
    } catch (error) {
      return { errors: refusals(error, { log, requestId }) };
    }
  };
}

/** An operation that did not run. Its status reaches the response through `extensions.http`, which is not shown. */
function refusals(
  error: unknown,
  { log, requestId }: { log: GatewayDependencies['log']; requestId: string },
): readonly GraphQLError[] {
  const failure = failureOf(error);
  logFailure(log, failure, { requestId, error });
  const retryAfter = retryAfterOf(failure);
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', String(retryAfter)]]);
  const http = { status: graphqlStatus(failure), headers };
  return graphqlFailures(failure, requestId).map((shown) => toGraphQLError(shown, http));
}
