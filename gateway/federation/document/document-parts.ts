import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind } from 'graphql';

/** Fragments of a document by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );

/** The key of a field in a response. */
export const responseKeyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;
