import { buildSubgraphSchema } from '@apollo/subgraph';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type ConstDirectiveNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { invariant } from '../../../src/errors/invariant-error';
import type { FailureInjection, Resolver, ResolverMap, Source } from './unreliable';

/** A graph in two forms: subgraphs, and one schema with the same data. */
export interface World {
  /** SDL by name. */
  readonly subgraphs: Readonly<Record<string, string>>;
  readonly monolith: string;
  resolvers(injection: FailureInjection): ResolverMap;
  /** The interface that some subgraphs declare as an object. */
  readonly interfaceObject: {
    readonly name: string;
    /** Finds an object of the interface, with its type, by the number in its id. */
    find(number: number): Source;
  };
  /** Maximum number of levels of fields below the root. */
  readonly depth: number;
  /**
   * True when the planner cannot plan all operations, or would plan some for wrong values: they may be refused. They are only
   * planned as documents of callers, in another process.
   */
  readonly mayBeRefused: boolean;
}

export function buildMonolith(world: World, injection: FailureInjection): GraphQLSchema {
  return attachResolvers(world, makeExecutableSchema({ typeDefs: world.monolith }), injection);
}

export function buildSubgraph(world: World, sdl: string, injection: FailureInjection): GraphQLSchema {
  const schema = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: {} }]);
  const entities = schema.getQueryType()?.getFields()['_entities'];
  if (entities !== undefined) {
    entities.resolve = (_source, { representations }: { representations: readonly Source[] }) =>
      representations.map((reference) => entityOf(world, schema, reference));
  }
  return attachResolvers(world, schema, injection);
}

/**
 * A reference can name the interface. Its owner resolves the type of the object; elsewhere the interface is an object, with
 * the fields of the representation and no others.
 */
function entityOf({ interfaceObject: { name, find } }: World, schema: GraphQLSchema, reference: Source): Source {
  const isOwned = reference['__typename'] === name && isAbstractType(schema.getType(name));
  return isOwned ? find(Number.parseInt(String(reference['id']).slice(1), 10)) : reference;
}

function attachResolvers(world: World, schema: GraphQLSchema, injection: FailureInjection): GraphQLSchema {
  const resolvers = world.resolvers(injection);
  const typeOf = ({ __typename: name }: Source): string =>
    isObjectType(schema.getType(String(name))) ? String(name) : world.interfaceObject.name;
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = (value: Source) => typeOf(value);
    if (!isObjectType(type)) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      const resolve = resolvers[type.name]?.[name];
      if (resolve !== undefined) field.resolve = inSubgraph(field, resolve);
    }
  }
  return schema;
}

type Field = GraphQLField<Source, Source>;

/**
 * A subgraph has the value of an `@external` field only from a representation, or below a field that provides it, and
 * `@requires` makes it necessary. Without such directives, as in the monolith, a field is simply resolved.
 */
function inSubgraph(field: Field, resolve: Resolver): Resolver {
  const provides = selectionsOf(field);
  const isExternal = directiveOf(field, 'external') !== undefined;
  const isInSubgraph = directiveOf(field, 'requires') !== undefined;
  return (source, given) => {
    const provided = providedField(source, field.name);
    if (isExternal && provided === undefined) {
      invariant(source[field.name] !== undefined, `the subgraph does not have the external field ${field.name}`);
      return source[field.name];
    }
    const value = resolve(isInSubgraph ? { ...source, isInSubgraph } : source, given);
    const below = provides ?? provided?.selectionSet;
    return below === undefined ? value : providing(value, below);
  };
}

const directiveOf = ({ astNode }: Field, name: string): ConstDirectiveNode | undefined =>
  astNode?.directives?.find((directive) => directive.name.value === name);

/** The selections that a field provides. */
function selectionsOf(field: Field): SelectionSetNode | undefined {
  const value = directiveOf(field, 'provides')?.arguments?.[0]?.value;
  if (value?.kind !== Kind.STRING) return undefined;
  return (parse(`{${value.value}}`).definitions[0] as OperationDefinitionNode).selectionSet;
}

function providedField(source: Source | undefined, name: string): FieldNode | undefined {
  const provided = source?.['provided'] as SelectionSetNode | undefined;
  const fields = provided?.selections.filter((selection) => selection.kind === Kind.FIELD);
  return fields?.find((selection) => selection.name.value === name);
}

function providing(value: unknown, provided: SelectionSetNode): unknown {
  if (value instanceof Promise) return value.then((each) => providing(each, provided));
  if (Array.isArray(value)) return value.map((each) => providing(each, provided));
  return typeof value === 'object' && value !== null ? { ...value, provided } : value;
}
