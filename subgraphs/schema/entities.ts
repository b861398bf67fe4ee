import { type GraphQLFieldResolver, type GraphQLSchema, isUnionType } from 'graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { InvariantError } from '../../src/errors/invariant-error';

/** Key fields of an entity and its `__typename`, as sent by another subgraph. */
export type Representation = Readonly<Record<string, unknown>>;

/** Loads an entity by its representation. */
export type ReferenceResolver = (representation: Representation, context: RequestContext) => unknown;

interface EntitiesArguments {
  readonly representations: readonly Representation[];
}

type EntitiesResolver = GraphQLFieldResolver<unknown, RequestContext, EntitiesArguments>;

/**
 * Lets `_entities` return synchronously where the reference resolvers do: the default resolver of the schema creates a
 * promise for each entity. The default stays for types that are not entities, such as an interface with a key.
 */
export function resolveEntitiesAtOnce(
  schema: GraphQLSchema,
  references: Readonly<Record<string, ReferenceResolver>>,
): void {
  const field = schema.getQueryType()?.getFields()['_entities'];
  const union = schema.getType('_Entity');
  if (field === undefined || !isUnionType(union)) return;
  const resolvers = new Map<unknown, ReferenceResolver>(
    union.getTypes().map(({ name }) => [name, references[name] ?? entityOfKey]),
  );
  const resolveOthers = field.resolve as EntitiesResolver;
  const resolve: EntitiesResolver = (...call) => {
    const [, { representations }, context] = call;
    if (!representations.every(({ __typename: name }) => resolvers.has(name))) return resolveOthers(...call);
    return representations.map((representation) => {
      const find = resolvers.get(representation['__typename']) ?? entityOfKey;
      return findEntity(find, representation, context);
    });
  };
  Object.assign(field, { resolve });
}

/** An entity that only extends another subgraph's entity has all its data in the key. */
const entityOfKey: ReferenceResolver = (representation) => representation;

function findEntity(find: ReferenceResolver, representation: Representation, context: RequestContext): unknown {
  const { __typename: name } = representation;
  try {
    const entity = find(representation, context);
    return isThenable(entity) ? entity.then((found) => withTypeName(found, name)) : withTypeName(entity, name);
  } catch (error) {
    // A failure concerns this entity only.
    return Promise.reject(error instanceof Error ? error : new InvariantError('a reference resolver threw no error'));
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/**
 * Sets the type name that the union of all entities resolves by. Not enumerable, because it is not a field of the
 * entity.
 */
function withTypeName(entity: unknown, name: unknown): unknown {
  if (typeof entity !== 'object' || entity === null) return entity;
  const { __typename: ownName } = entity as Representation;
  if (ownName === name) return entity;
  if (ownName !== undefined) return { ...entity, __typename: name };
  return Object.defineProperty(entity, '__typename', { value: name });
}
