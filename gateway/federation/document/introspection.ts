import { type DocumentNode, executeSync, type FieldNode, type GraphQLSchema, Kind } from 'graphql';
import type { OperationTree, Selections } from './operation-tree';

/** Resolves `__schema` and `__type` of an operation, by response key, with the caller's variables. */
export type Introspect = (variables: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** `undefined` when the operation selects neither. */
export function compileIntrospection(schema: GraphQLSchema, tree: OperationTree): Introspect | undefined {
  const fields = introspectionFields(tree.selections);
  if (fields.length === 0) return undefined;
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...tree.operation, directives: [], selectionSet: { kind: Kind.SELECTION_SET, selections: fields } },
      ...tree.fragments,
    ],
  };
  return (variableValues) => executeSync({ schema, document, variableValues }).data ?? {};
}

function introspectionFields(selections: Selections): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'type') return introspectionFields(selection.selections);
    return selection.name === '__schema' || selection.name === '__type' ? [selection.node] : [];
  });
}
