import { type DocumentNode, type GraphQLArgument, type GraphQLSchema, Kind } from 'graphql';
import { useSofa } from 'sofa-api';
import type { RequestContext } from '../../src/auth/request-context';
import { InvariantError } from '../../src/errors/invariant-error';
import type { FederatedGraph, OperationResult, PreparedOperation } from '../federation/federated-graph';
import { type MaybePromise, whenDone } from '../federation/maybe-promise';
import { keepsNull, OUTPUTS_WITH_NULLS } from './kept-nulls';
import { rootField } from './rest-view';
import type { RestRoute } from './route-table';

/** Runs the operation of a route with variables that were coerced. `data` is the JSON text of the root field's value. */
export type RunOperation = (
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => Promise<OperationResult & { readonly data?: string }>;

/** What travels through Sofa's handler: it comes in with the variables and leaves with the result. */
interface Call {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  result?: OperationResult;
}

/** The first call of each handler, made at boot: it hands over the document that Sofa generated. */
interface Probe {
  document?: DocumentNode;
}

type SofaHandler = (request: object, serverContext: Call | Probe) => Promise<unknown>;
type SofaExecute = (args: {
  readonly contextValue: Call | Probe;
  readonly document: DocumentNode;
}) => MaybePromise<object>;

/**
 * The operations of the routes: Sofa writes a document for each root field of the REST view and handles the calls; the
 * graph plans and compiles each document once, now.
 */
export async function sofaOperations(
  graph: FederatedGraph,
  view: GraphQLSchema,
  routes: readonly RestRoute[],
): Promise<ReadonlyMap<RestRoute['operation'], RunOperation>> {
  const planned = new Map<DocumentNode, PreparedByOutput>();
  const router = useSofa({
    basePath: '',
    schema: view,
    routes: Object.fromEntries(routes.map(({ operation, method }) => [operation, { method, path: `/${operation}` }])),
    execute: executeWith(planned) as never,
    errorHandler: () => NO_RESPONSE,
  });
  const operations = new Map<RestRoute['operation'], RunOperation>();
  for (const { operation } of routes) {
    if (operations.has(operation)) continue;
    const fieldName = operation.slice(operation.indexOf('.') + 1);
    const route = router.__routes.find(({ path }) => path === `/${operation}`);
    if (route === undefined) throw new InvariantError(`Sofa made no route for ${operation}`);
    const handler = route.handler as unknown as SofaHandler;
    const request = silentRequest(rootField(view, operation).args);
    const probe: Probe = {};
    await handler(request, probe);
    if (probe.document === undefined) throw new InvariantError(`Sofa executed nothing for ${operation}`);
    planned.set(probe.document, prepareByOutput(graph, probe.document));
    operations.set(
      operation,
      runThrough((call) => handler(request, call), `{"${fieldName}":`),
    );
  }
  return operations;
}

/** Sofa reads its arguments from the request, and finds none: ours are in the call, already coerced. */
const silentRequest = (args: readonly GraphQLArgument[]): object => ({
  body: null,
  url: '',
  params: Object.fromEntries(args.map(({ name }) => [name, undefined])),
});

/**
 * What Sofa is told of every result: its own response would have the JSON text parsed and written once more. It asks for
 * errors first, and leaves the response to them to us.
 */
const TOLD_ELSEWHERE = { errors: [] };
const NO_RESPONSE = undefined as never;

function executeWith(planned: ReadonlyMap<DocumentNode, PreparedByOutput>): SofaExecute {
  return ({ contextValue: call, document }) => {
    const prepared = planned.get(document);
    if (prepared === undefined || !('context' in call)) {
      Object.assign(call, { document });
      return TOLD_ELSEWHERE;
    }
    const { output } = call.variables;
    const operation = prepared.get(typeof output === 'string' ? output : '') ?? prepared.get('');
    if (operation === undefined) throw new InvariantError('an operation of a route was not compiled');
    return whenDone(operation.execute(call.variables, call.context), (result) => {
      call.result = result;
      return TOLD_ELSEWHERE;
    });
  };
}

/** Which nulls are kept depends on the output that is asked for: one compiled operation for each answer, `''` for the others. */
type PreparedByOutput = ReadonlyMap<string, PreparedOperation>;

const prepareByOutput = (graph: FederatedGraph, document: DocumentNode): PreparedByOutput =>
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

function runThrough(handle: (call: Call) => Promise<unknown>, prefix: string): RunOperation {
  return async (variables, context) => {
    const call: Call = { variables, context };
    await handle(call);
    if (call.result === undefined) throw new InvariantError('Sofa ended a call without executing it');
    const { errors, data } = call.result;
    if (errors !== undefined) return { errors };
    return { data: bareValue(data, prefix) };
  };
}

/** `{"field":value}` → `value`. */
function bareValue(data: unknown, prefix: string): string {
  if (typeof data === 'string' && data.startsWith(prefix)) return data.slice(prefix.length, -1);
  throw new InvariantError('the graph answered without the root field that was asked for');
}
