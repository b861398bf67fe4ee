import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  getIntrospectionQuery,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  print,
} from 'graphql';
import { LRUCache } from 'lru-cache';

type IntrospectionData = Readonly<Record<string, unknown>>;

/** The query that GraphiQL, code generators and most other tools send to read the whole schema, in all its variants. */
export interface WellKnownIntrospection {
  /**
   * Returns the function that responds to these fields from a cache; `undefined` when they are another introspection. The
   * response is shared, and its fields are frozen: it must not be changed.
   */
  find(
    fields: readonly FieldNode[],
    fragments: readonly FragmentDefinitionNode[],
  ): (() => IntrospectionData) | undefined;
}

/** Each response takes about a megabyte. */
const MAX_RESPONSES = 8;

export function createWellKnownIntrospection(schema: GraphQLSchema): WellKnownIntrospection {
  const responses = new LRUCache<string, IntrospectionData>({ max: MAX_RESPONSES });
  let wellKnown: ReadonlySet<string> | undefined;
  const introspect = (document: DocumentNode): IntrospectionData => {
    const data = executeSync({ schema, document }).data ?? {};
    for (const value of Object.values(data)) Object.freeze(value);
    return data;
  };
  return {
    find(fields, fragments) {
      wellKnown ??= wellKnownTexts();
      const document = documentOf(fields, fragments);
      const text = print(document);
      if (!wellKnown.has(text)) return undefined;
      return () => {
        const response = responses.get(text) ?? introspect(document);
        responses.set(text, response);
        return response;
      };
    },
  };
}

/** Every combination of the options of `getIntrospectionQuery`. */
function wellKnownTexts(): ReadonlySet<string> {
  const names = [
    ...['descriptions', 'specifiedByUrl', 'directiveIsRepeatable'],
    ...['schemaDescription', 'inputValueDeprecation', 'oneOf'],
  ];
  const texts = new Set<string>();
  for (let variant = 0; variant < 2 ** names.length; variant += 1) {
    const options = Object.fromEntries(names.map((name, bit) => [name, (variant & (2 ** bit)) !== 0]));
    const { definitions } = parse(getIntrospectionQuery(options), { noLocation: true });
    const fields = definitions
      .flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION ? each.selectionSet.selections : []))
      .filter((selection) => selection.kind === Kind.FIELD);
    const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
    texts.add(print(documentOf(fields, fragments)));
  }
  return texts;
}

/** Without the name of the operation, which clients choose. */
const documentOf = (fields: readonly FieldNode[], fragments: readonly FragmentDefinitionNode[]): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: [
    {
      kind: Kind.OPERATION_DEFINITION,
      operation: OperationTypeNode.QUERY,
      selectionSet: { kind: Kind.SELECTION_SET, selections: fields },
    },
    ...fragments,
  ],
});
