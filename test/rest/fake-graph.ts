import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  getNamedType,
  getOperationAST,
  GraphQLError,
  type GraphQLObjectType,
  isObjectType,
  OperationTypeNode,
  parse,
  subscribe,
  validate,
} from 'graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { isServiceError, serviceError } from '../../src/errors/service-error';
import { validationError } from '../../src/errors/validation';
import { compileOperationCost } from '../../gateway/federation/cost/operation-cost';
import { compileRootFields } from '../../gateway/federation/cost/root-fields';
import { readSchemaCosts } from '../../gateway/federation/cost/schema-costs';
import { createWellKnownIntrospection } from '../../gateway/federation/document/well-known-introspection';
import { whenDone } from '../../gateway/federation/maybe-promise';
import type { FederatedGraph, OperationResult, PreparedOperation } from '../../gateway/federation/federated-graph';
import { SCALARS } from '../../subgraphs/schema/scalars';
import { FAKE_SDL } from './fake-sdl';

export type FakeResolver = (args: Readonly<Record<string, any>>, context: RequestContext) => unknown;

type KeepNull = (typeName: string, fieldName: string) => boolean;

/** A federated graph that graphql-js executes. `roots` are resolvers by `Query.name`, `Mutation.name` or `Subscription.name`. */
export function createFakeGraph(roots: Readonly<Record<string, FakeResolver>>): FederatedGraph {
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const [path, resolve] of Object.entries(roots)) {
    const [typeName, fieldName] = path.split('.') as [string, string];
    const call = (_: unknown, args: Record<string, unknown>, context: RequestContext) => resolve(args, context);
    (resolvers[typeName] ??= {})[fieldName] =
      typeName === 'Subscription' ? { subscribe: call, resolve: (event: unknown) => event } : call;
  }
  for (const scalar of SCALARS) resolvers[scalar.name] = scalar as never;
  const schema = makeExecutableSchema({ typeDefs: FAKE_SDL, resolvers: resolvers as never });
  const wellKnownIntrospection = createWellKnownIntrospection(schema);
  const costDeps = { schema, wellKnownIntrospection, costs: readSchemaCosts(parse(FAKE_SDL)) };

  const prepareWith = (
    document: DocumentNode,
    operationName: string | undefined,
    { keepNull, output }: { keepNull?: KeepNull; output?: 'json' | 'object' } = {},
  ) => {
    const operation = getOperationAST(document, operationName);
    if (!operation) throw serviceError('OPERATION_RESOLUTION_FAILURE', { reason: operationName ?? 'no name' });
    const shape = ({ data, errors }: ExecutionResult): OperationResult => {
      if (data === undefined && errors !== undefined) return { errors: [toError(asValidation(errors))] };
      const pruned = keepNull === undefined ? data : prune(data, rootType(schema, operation.operation), keepNull);
      const shown = output === 'json' ? JSON.stringify(pruned) : pruned;
      return errors === undefined ? { data: shown } : { data: shown, errors: errors.map(toError) };
    };
    const argumentsFor = (variables: unknown, contextValue: RequestContext) => ({
      schema,
      document,
      contextValue,
      variableValues: variables as Record<string, unknown>,
      ...(operationName === undefined ? {} : { operationName }),
    });
    const prepared: PreparedOperation = {
      kind: operation.operation,
      // Like the graph, it is synchronous when its resolvers are.
      execute: (variables, context) => whenDone(execute(argumentsFor(variables, context)), shape),
      async *subscribe(variables, context) {
        if (operation.operation !== OperationTypeNode.SUBSCRIPTION) {
          yield shape(await execute(argumentsFor(variables, context)));
          return;
        }
        const events = await subscribe(argumentsFor(variables, context));
        if (!(Symbol.asyncIterator in events)) yield shape(events);
        else for await (const event of events) yield shape(event);
      },
    };
    return prepared;
  };

  return {
    schema,
    supergraphSdl: FAKE_SDL,
    prepareTrusted: (document, options = {}) => prepareWith(document, options.operationName, options),
    async prepare(document, operationName) {
      const problems = validate(schema, document);
      if (problems.length > 0) {
        const errors = problems.map(({ message, locations }) => ({ message, locations }));
        throw serviceError('GRAPHQL_VALIDATION_FAILED', { reason: '…' }, { details: { errors } });
      }
      const prepared = prepareWith(document, operationName);
      const operation = getOperationAST(document, operationName)!;
      const costOf = compileOperationCost(costDeps, { document, operation });
      return Promise.resolve({ ...prepared, costOf, rootFieldsOf: compileRootFields(document, operation) });
    },
    close: () => Promise.resolve(),
  };
}

const asValidation = ([error]: readonly GraphQLError[]): GraphQLError =>
  new GraphQLError(error!.message, {
    originalError: validationError([{ path: 'variables', message: error!.message }]),
  });

function toError({ originalError, path }: GraphQLError): NonNullable<OperationResult['errors']>[number] {
  const error = isServiceError(originalError) ? originalError : serviceError('INTERNAL_SERVER_ERROR');
  const { code, message, details } = error;
  return {
    message,
    ...(path === undefined ? {} : { path }),
    extensions: details === undefined ? { code } : { code, details },
  };
}

const rootType = (schema: FederatedGraph['schema'], kind: string): GraphQLObjectType =>
  (kind === 'mutation' ? schema.getMutationType() : schema.getQueryType())!;

function prune(value: unknown, type: GraphQLObjectType, keepNull: KeepNull): unknown {
  if (Array.isArray(value)) return value.map((item) => prune(item, type, keepNull));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const field = type.getFields()[name];
    if (inner === null && !keepNull(type.name, name)) return [];
    const named = field === undefined ? undefined : getNamedType(field.type);
    return [[name, isObjectType(named) ? prune(inner, named, keepNull) : inner]];
  });
  return Object.fromEntries(entries);
}
