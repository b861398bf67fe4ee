import { type DocumentNode, executeSync, type FieldNode, type GraphQLSchema, Kind } from 'graphql';
import { countIntrospectedValues } from './introspection-size';
import type { OperationTree, Selections } from './operation-tree';
import type { WellKnownIntrospection } from './well-known-introspection';

/**
 * Resolves `__schema` and `__type` of an operation, by response key, with the caller's variables.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED when they select too many values.
 */
export type Introspect = (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

export interface IntrospectionDeps {
  readonly schema: GraphQLSchema;
  readonly wellKnownIntrospection: WellKnownIntrospection;
}

/** `undefined` when the operation selects neither. */
export function compileIntrospection(deps: IntrospectionDeps, tree: OperationTree): Introspect | undefined {
  const { schema, wellKnownIntrospection } = deps;
  const fields = introspectionFields(tree.selections);
  if (fields.length === 0) return undefined;
  const { operation, fragments } = tree;
  const wellKnown = wellKnownIntrospection.find(fields, fragments);
  if (wellKnown !== undefined) return wellKnown;
  const document = introspectionDocument(tree, fields);
  return (variables) => {
    countIntrospectedValues(schema, { operation, fields, fragments, variables });
    return executeSync({ schema, document, variableValues: variables }).data ?? {};
  };
}

function introspectionDocument({ operation, fragments }: OperationTree, fields: readonly FieldNode[]): DocumentNode {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: fields } as const;
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, directives: [], selectionSet }, ...fragments],
  };
}

function introspectionFields(selections: Selections): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'type') return introspectionFields(selection.selections);
    return selection.name === '__schema' || selection.name === '__type' ? [selection.node] : [];
  });
}
