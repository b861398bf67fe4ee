import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { RequestContext } from '../../../src/auth/request-context';
import { serviceError } from '../../../src/errors/service-error';
import { type FormattedError, formatServiceError } from '../formatted-error';
import { compileInProcess, type ExecuteInProcess, type InProcessResult } from './in-process-operation';
import { mapStream } from './map-stream';
import { exposeSubgraphError, type SubgraphError } from './subgraph-error';
import type { SubgraphResponse } from './subgraph-response';

export interface SubgraphOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
}

/** Executes an operation of the gateway. Returns a stream for subscriptions. Errors are formatted for callers. */
export type ExecuteSubgraph = (operation: SubgraphOperation) => Promise<InProcessResult>;

/** The gateway caches fewer plans, each with a few operations per subgraph. */
const MAX_COMPILED = 5000;
const MAX_COMPILED_CHARACTERS = 32 * 1024 * 1024;

export function createSubgraphExecutor(schema: GraphQLSchema, log: Logger): ExecuteSubgraph {
  const compiled = new LRUCache<string, ExecuteInProcess>({ max: MAX_COMPILED, maxSize: MAX_COMPILED_CHARACTERS });
  const executeOf = (query: string): ExecuteInProcess => {
    const execute = compiled.get(query) ?? compileQuery(schema, query);
    compiled.set(query, execute, { size: query.length + 1 });
    return execute;
  };
  const expose = ({ data, errors }: SubgraphResponse, requestId: string): SubgraphResponse => {
    const shown = data === undefined ? {} : { data };
    return errors === undefined
      ? shown
      : { ...shown, errors: errors.map((error) => exposeWithPath(error, log, requestId)) };
  };
  return async ({ query, variables, context }) => {
    const result = await executeOf(query)(variables, context);
    const { requestId } = context;
    return Symbol.asyncIterator in result
      ? mapStream(result, (response) => expose(response, requestId))
      : expose(result, requestId);
  };
}

function exposeWithPath(error: SubgraphError, log: Logger, requestId: string): FormattedError {
  const exposed = exposeSubgraphError(error, log, requestId);
  return error.path === undefined ? exposed : { ...exposed, path: error.path };
}

function compileQuery(schema: GraphQLSchema, query: string): ExecuteInProcess {
  try {
    const document = parse(query, { noLocation: true });
    const problems = validate(schema, document);
    if (problems.length > 0) return refuseAll(problems);
    return compileInProcess(schema, document);
  } catch (error) {
    if (error instanceof GraphQLError) return refuseAll([error]);
    throw error;
  }
}

function refuseAll(problems: readonly GraphQLError[]): ExecuteInProcess {
  const reason = problems.map(({ message }) => message).join(' ');
  const errors = [formatServiceError(serviceError('GRAPHQL_VALIDATION_FAILED', { reason }))];
  return () => ({ errors });
}
