import { createSourceEventStream, type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { RequestContext } from '../../src/auth/request-context';
import { InvariantError } from '../../src/errors/invariant-error';
import { mapStream } from './map-stream';
import type { SubgraphResponse } from './subgraph-response';

type Answer = SubgraphResponse | AsyncIterable<SubgraphResponse>;
type Ask = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Answer | Promise<Answer>;

/** Compiles an operation, which must be valid, to a function: answers without waiting when the resolvers do. */
export function compileInProcess(schema: GraphQLSchema, document: DocumentNode): Ask {
  const compiled = compileQuery(schema, document, undefined, { disablingCapturingStackErrors: true });
  if (!isCompiledQuery(compiled)) {
    const problems = (compiled.errors ?? []).map(({ message }) => message).join(' ');
    throw new InvariantError(`a subgraph cannot execute an operation: ${problems}`);
  }
  const query = compiled.query as (
    root: unknown,
    context: RequestContext,
    variables: Readonly<Record<string, unknown>>,
  ) => SubgraphResponse | Promise<SubgraphResponse>;
  if (!isSubscription(document)) return (variables, context) => query(undefined, context, variables);
  // The compiler's own way to subscribe gives resolvers the operation's variables for the field's arguments.
  return async (variables, context) => {
    const events = await createSourceEventStream({
      ...{ schema, document, contextValue: context, variableValues: variables },
    });
    if (!(Symbol.asyncIterator in events)) return { errors: events.errors };
    return mapStream(events, (event) => query(event, context, variables));
  };
}

const isSubscription = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION,
  );
