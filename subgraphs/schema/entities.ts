import { type GraphQLFieldResolver, type GraphQLSchema, isUnionType } from 'graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { InvariantError } from '../../src/errors/invariant-error';

/** Key fields of an entity and its `__typename`, as another subgraph sends them. */
export type Representation = Readonly<Record<string, unknown>>;

/** Finds an entity by its representation. */
export type ReferenceResolver = (representation: Representation, context: RequestContext) => unknown;

interface EntitiesArguments {
  readonly representations: readonly Representation[];
}

type EntitiesResolver = GraphQLFieldResolver<unknown, RequestContext, EntitiesArguments>;

/**
 * Lets `_entities` answer at once where the reference resolvers do: the resolver that the schema was built with makes a
 * promise for each entity. It stays for what is no type of an entity, such as an interface with a key.
 */
export function resolveEntitiesAtOnce(
  schema: GraphQLSchema,
  references: Readonly<Record<string, ReferenceResolver>>,
): void {
  const field = schema.getQueryType()?.getFields()['_entities'];
  const union = schema.getType('_Entity');
  if (field === undefined || !isUnionType(union)) return;
  const resolvers = new Map<unknown, ReferenceResolver>(
    union.getTypes().map(({ name }) => [name, references[name] ?? itself]),
  );
  const resolveOthers = field.resolve as EntitiesResolver;
  const resolve: EntitiesResolver = (...call) => {
    const [, { representations }, context] = call;
    if (!representations.every(({ __typename: name }) => resolvers.has(name))) return resolveOthers(...call);
    return representations.map((representation) => {
      const find = resolvers.get(representation['__typename']) ?? itself;
      return findEntity(find, representation, context);
    });
  };
  Object.assign(field, { resolve });
}

/** An entity that only extends another subgraph's is all there in its key. */
const itself: ReferenceResolver = (representation) => representation;

function findEntity(find: ReferenceResolver, representation: Representation, context: RequestContext): unknown {
  const { __typename: name } = representation;
  try {
    const entity = find(representation, context);
    return isThenable(entity) ? entity.then((found) => withTypeName(found, name)) : withTypeName(entity, name);
  } catch (error) {
    // Only this entity fails.
    return Promise.reject(error instanceof Error ? error : new InvariantError('a reference resolver threw no error'));
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** The union of all entities tells them apart by it. Not enumerable: it is no field of the entity. */
function withTypeName(entity: unknown, name: unknown): unknown {
  if (typeof entity !== 'object' || entity === null) return entity;
  const { __typename: known } = entity as Representation;
  if (known === name) return entity;
  if (known !== undefined) return { ...entity, __typename: name };
  return Object.defineProperty(entity, '__typename', { value: name });
}
