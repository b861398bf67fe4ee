import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { RequestContext } from '../../../src/auth/request-context';
import { serviceError } from '../../../src/errors/service-error';
import { type FormattedError, formatServiceError } from '../formatted-error';
import { compileInProcess } from './in-process-operation';
import { mapStream } from './map-stream';
import { exposeSubgraphError, type SubgraphError } from './subgraph-error';
import type { SubgraphResponse } from './subgraph-response';

export interface SubgraphOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
}

/** Executes what the gateway sends; answers a stream for subscriptions. Errors are ready to be sent. */
export type ExecuteSubgraph = (
  operation: SubgraphOperation,
) => Promise<SubgraphResponse | AsyncIterable<SubgraphResponse>>;

type Answer = SubgraphResponse | AsyncIterable<SubgraphResponse>;
type Ask = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Answer | Promise<Answer>;

/** The gateway keeps fewer plans than that, and a plan has a few operations for each subgraph. */
const MAX_COMPILED = 5000;
const MAX_COMPILED_CHARACTERS = 32 * 1024 * 1024;

export function createSubgraphExecutor(schema: GraphQLSchema, log: Logger): ExecuteSubgraph {
  const compiled = new LRUCache<string, Ask>({ max: MAX_COMPILED, maxSize: MAX_COMPILED_CHARACTERS });
  const askOf = (query: string): Ask => {
    const ask = compiled.get(query) ?? compileAsk(schema, query);
    compiled.set(query, ask, { size: query.length + 1 });
    return ask;
  };
  const expose = ({ data, errors }: SubgraphResponse): SubgraphResponse => {
    const shown = data === undefined ? {} : { data };
    return errors === undefined ? shown : { ...shown, errors: errors.map((error) => exposeWithPath(error, log)) };
  };
  return async ({ query, variables, context }) => {
    const answer = await askOf(query)(variables, context);
    return Symbol.asyncIterator in answer ? mapStream(answer, expose) : expose(answer);
  };
}

function exposeWithPath(error: SubgraphError, log: Logger): FormattedError {
  const exposed = exposeSubgraphError(error, log);
  return error.path === undefined ? exposed : { ...exposed, path: error.path };
}

function compileAsk(schema: GraphQLSchema, query: string): Ask {
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

function refuseAll(problems: readonly GraphQLError[]): Ask {
  const reason = problems.map(({ message }) => message).join(' ');
  const errors = [formatServiceError(serviceError('GRAPHQL_VALIDATION_FAILED', { reason }))];
  return () => ({ errors });
}
