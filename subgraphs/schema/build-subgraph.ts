import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type GraphQLSchema, parse } from 'graphql';
import { buildSchemaSync, createResolversMap, type NonEmptyArray, type PubSub } from 'type-graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { CredentialChecker } from './authorization';
import { type ReferenceResolver, resolveEntitiesAtOnce } from './entities';

const FEDERATION_LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject", "@inaccessible", "@override", "@tag", "@cost", "@listSize"])`;

/** A part of the graph: its declarations, and the schema that executes them. */
export interface Subgraph {
  readonly name: string;
  /** Federation SDL, the input of composition. */
  readonly typeDefs: string;
  readonly schema: GraphQLSchema;
}

type ResolverClass = new (...deps: never[]) => object;

export interface SubgraphParts {
  readonly name: string;
  /** Resolver instances, built with their deps. */
  readonly resolvers: readonly object[];
  /** Types that no resolver field returns, such as entities that are only extended. */
  readonly orphanedTypes?: readonly ResolverClass[];
  /** Added to the SDL: link and definition of directives beyond those of federation. */
  readonly sdlHeader?: string;
  /** Reference resolvers by entity type. */
  readonly references?: Readonly<Record<string, ReferenceResolver>>;
}

/**
 * Builds a subgraph from type-graphql classes.
 *
 * The metadata of type-graphql is global to the process: `resolvers` and `orphanedTypes` select the part of this
 * subgraph.
 */
export function buildSubgraph({ name, resolvers, orphanedTypes, sdlHeader, references }: SubgraphParts): Subgraph {
  const instances = new Map(resolvers.map((resolver) => [resolver.constructor, resolver]));
  const annotated = buildSchemaSync({
    resolvers: [...instances.keys()] as NonEmptyArray<ResolverClass>,
    orphanedTypes: [...(orphanedTypes ?? [])],
    container: { get: (type: { readonly name: string }) => instanceOf(instances, type) },
    authChecker: CredentialChecker,
    pubSub: NO_PUB_SUB,
    // Scalars and the domain validate every input; class-validator would be a third place.
    validate: false,
    skipCheck: true,
  });
  const parts = [
    FEDERATION_LINK,
    ...(sdlHeader === undefined ? [] : [sdlHeader]),
    printSchemaWithDirectives(annotated),
  ];
  const typeDefs = `${parts.join('\n\n')}\n`;
  const resolverMap = createResolversMap(annotated) as never;
  const schema = buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers: resolverMap }]);
  resolveEntitiesAtOnce(schema, references ?? {});
  return { name, typeDefs, schema };
}

/** Type-graphql requires a pub/sub as soon as there is a subscription; here each subscription has its own stream. */
const NO_PUB_SUB: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new InvariantError('a subscription names a topic: give it a subscribe function');
  },
};

function instanceOf(instances: ReadonlyMap<unknown, object>, type: { readonly name: string }): object {
  const instance = type === CredentialChecker ? new CredentialChecker() : instances.get(type);
  if (instance === undefined) throw new InvariantError(`no instance of the resolver ${type.name} was given`);
  return instance;
}
