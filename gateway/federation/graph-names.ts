import { type DocumentNode, Kind } from 'graphql';

/** Names of the subgraphs of a supergraph, by their value of `join__Graph`. */
export function graphNames(supergraph: DocumentNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION || definition.name.value !== 'join__Graph') continue;
    for (const { name, directives = [] } of definition.values ?? []) {
      const given = directives.flatMap((directive) => directive.arguments ?? []);
      const named = given.find((argument) => argument.name.value === 'name')?.value;
      if (named?.kind === Kind.STRING) names.set(name.value, named.value);
    }
  }
  return names;
}
