import { type DocumentNode, type GraphQLSchema, Kind } from 'graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { InvariantError } from '../../src/errors/invariant-error';
import type { FederatedGraph, OperationResult, PreparedOperation } from '../federation/federated-graph';
import { type MaybePromise, whenDone } from '../federation/maybe-promise';
import { keepsNull, OUTPUTS_WITH_NULLS } from './null-fields';
import { routeDocument } from './route-document';
import type { RestRoute } from './route-table';

/** Executes the operation of a route with coerced variables. `data` is the JSON text of the root field's value. */
export type ExecuteRoute = (
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => MaybePromise<OperationResult & { readonly data?: string }>;

/** Generates the document of a route, then plans and compiles it. */
export function compileRouteOperation(graph: FederatedGraph, view: GraphQLSchema, route: RestRoute): ExecuteRoute {
  const document = routeDocument(view, route);
  const prepared = prepareByOutput(graph, document);
  const prefix = `{"${route.operation.slice(route.operation.indexOf('.') + 1)}":`;
  return (variables, context) => {
    const { output } = variables;
    const operation = prepared.get(typeof output === 'string' ? output : '') ?? prepared.get('');
    if (operation === undefined) throw new InvariantError('an operation of a route was not compiled');
    return whenDone(operation.execute(variables, context), ({ data, errors }) =>
      errors === undefined ? { data: rootValue(data, prefix) } : { errors },
    );
  };
}

/** The nulls in a response depend on its output: one compiled operation for each output, `''` for all others. */
const prepareByOutput = (graph: FederatedGraph, document: DocumentNode): ReadonlyMap<string, PreparedOperation> =>
  new Map(
    ['', ...outputsOf(document)].map((output) => [
      output,
      graph.prepareTrusted(document, { output: 'json', keepNull: keepsNull(output), variablesAreChecked: true }),
    ]),
  );

function outputsOf({ definitions: [definition] }: DocumentNode): readonly string[] {
  const variables = definition?.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [];
  return variables.some(({ variable }) => variable.name.value === 'output') ? OUTPUTS_WITH_NULLS : [];
}

/** `{"field":value}` → `value`. */
function rootValue(data: unknown, prefix: string): string {
  if (typeof data === 'string' && data.startsWith(prefix)) return data.slice(prefix.length, -1);
  throw new InvariantError('the response of the graph lacks the root field of the route');
}
