import { buildSubgraphSchema } from '@apollo/subgraph';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { type GraphQLSchema, parse } from 'graphql';
import { buildSchemaSync, createResolversMap, type NonEmptyArray, type PubSub } from 'type-graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { CredentialChecker } from './authorization';
import { type ReferenceResolver, resolveEntitiesAtOnce } from './entities';

const FEDERATION_IMPORTS = [
  ...['@key', '@shareable', '@external', '@requires', '@provides'],
  ...['@interfaceObject', '@inaccessible', '@override', '@tag'],
];
const COST_IMPORTS = ['@cost', '@listSize'];

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
  const sdl = printSchemaWithDirectives(annotated);
  const parts = [federationLink(sdl), ...(sdlHeader === undefined ? [] : [sdlHeader]), sdl];
  const typeDefs = `${parts.join('\n\n')}\n`;
  const resolverMap = createResolversMap(annotated) as never;
  const schema = buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers: resolverMap }]);
  resolveEntitiesAtOnce(schema, references ?? {});
  return { name, typeDefs, schema };
}

/** Links the oldest version of the specification that has the directives of the subgraph, for other routers. */
function federationLink(sdl: string): string {
  const hasCosts = COST_IMPORTS.some((directive) => sdl.includes(`${directive}(`));
  const imports = hasCosts ? [...FEDERATION_IMPORTS, ...COST_IMPORTS] : FEDERATION_IMPORTS;
  const names = imports.map((directive) => `"${directive}"`).join(', ');
  return `extend schema @link(url: "https://specs.apollo.dev/federation/v${hasCosts ? '2.9' : '2.3'}", import: [${names}])`;
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
