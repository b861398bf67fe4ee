import {
  createSourceEventStream,
  type DocumentNode,
  execute,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { contextOfEvent, type RequestContext } from '../../../src/auth/request-context';
import { InvariantError } from '../../../src/errors/invariant-error';
import { runForCaller } from '../../../src/persistence/customer-scope';
import { mapStream } from './map-stream';
import { usesRecursiveInput } from './recursive-input';
import type { SubgraphResponse } from './subgraph-response';

/** A response, or a stream of responses for a subscription. */
export type InProcessResult = SubgraphResponse | AsyncIterable<SubgraphResponse>;
export type ExecuteInProcess = (
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => InProcessResult | Promise<InProcessResult>;

type Query = (
  root: unknown,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => SubgraphResponse | Promise<SubgraphResponse>;

/**
 * Compiles a valid operation to a function. It is synchronous when its resolvers are. They run for the customer of the request:
 * the database shows them no rows of other customers.
 */
export function compileInProcess(schema: GraphQLSchema, document: DocumentNode): ExecuteInProcess {
  const execute = compileUnscoped(schema, document);
  return (variables, context) => {
    const forCaller = <Result>(work: () => Result): Result => runForCaller(context.principal?.customerId, work);
    const result = forCaller(() => execute(variables, context));
    return isSubscription(document) ? Promise.resolve(result).then((events) => runEachFor(events, forCaller)) : result;
  };
}

/** The work for an item of a stream runs in the scope of the function that requests the item. */
function runEachFor(events: InProcessResult, forCaller: <Result>(work: () => Result) => Result): InProcessResult {
  if (!(Symbol.asyncIterator in events)) return events;
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        next: () => forCaller(() => iterator.next()),
        return: () => forCaller(() => iterator.return?.() ?? Promise.resolve({ done: true, value: undefined })),
      };
    },
  };
}

function compileUnscoped(schema: GraphQLSchema, document: DocumentNode): ExecuteInProcess {
  const query = usesRecursiveInput(schema, document) ? interpret(schema, document) : compile(schema, document);
  if (!isSubscription(document)) return (variables, context) => query(undefined, variables, context);
  // The compiler's own subscriptions pass the variables of the operation as the arguments of the field.
  return async (variableValues, contextValue) => {
    const events = await createSourceEventStream({ schema, document, contextValue, variableValues });
    if (!(Symbol.asyncIterator in events)) return { errors: events.errors };
    return mapStream(events, (event) => query(event, variableValues, contextOfEvent(contextValue)));
  };
}

function compile(schema: GraphQLSchema, document: DocumentNode): Query {
  const compiled = compileQuery(schema, document, undefined, { disablingCapturingStackErrors: true });
  if (!isCompiledQuery(compiled)) {
    const problems = (compiled.errors ?? []).map(({ message }) => message).join(' ');
    throw new InvariantError(`a subgraph cannot execute an operation: ${problems}`);
  }
  const run = compiled.query as (root: unknown, context: RequestContext, variables: unknown) => SubgraphResponse;
  return (root, variables, context) => run(root, context, variables);
}

function interpret(schema: GraphQLSchema, document: DocumentNode): Query {
  return (rootValue, variableValues, contextValue) =>
    execute({ schema, document, rootValue, variableValues, contextValue });
}

const isSubscription = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION,
  );
