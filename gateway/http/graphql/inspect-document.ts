import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';
import { problemOfText } from '../../edge/text-safety';

/** Properties of a valid document that decide on its admission. */
export interface DocumentInspection {
  /** Problem of a string literal in the document, or `undefined`. */
  readonly textProblem: string | undefined;
  readonly introspects: boolean;
  /** Number of root fields of an operation, including aliases, fragments and introspection: its cost in requests. */
  rootFields(operation: OperationDefinitionNode): number;
}

const inspections = new WeakMap<DocumentNode, DocumentInspection>();

/** Inspects a document once while it is stored. */
export function inspectDocument(document: DocumentNode): DocumentInspection {
  const stored = inspections.get(document);
  if (stored !== undefined) return stored;
  const inspection = inspect(document);
  inspections.set(document, inspection);
  return inspection;
}

function inspect(document: DocumentNode): DocumentInspection {
  let textProblem: string | undefined;
  let introspects = false;
  visit(document, {
    StringValue({ value }) {
      textProblem ??= problemOfText(value);
    },
    Field({ name }) {
      introspects ||= name.value === '__schema' || name.value === '__type';
    },
  });
  const count = createCounter(document);
  const counts = new Map<OperationDefinitionNode, number>();
  return {
    textProblem,
    introspects,
    rootFields(operation) {
      const rootFields = counts.get(operation) ?? count(operation.selectionSet);
      counts.set(operation, rootFields);
      return rootFields;
    },
  };
}

function createCounter({ definitions }: DocumentNode): (selectionSet: SelectionSetNode) => number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
  }
  // Each fragment is counted once; fragments that spread each other twice would take exponential time.
  const counted = new Map<string, number>();
  const countFragment = (name: string): number => {
    const selectionSet = fragments.get(name);
    const count = counted.get(name) ?? (selectionSet === undefined ? 0 : countSet(selectionSet));
    counted.set(name, count);
    return count;
  };
  const countSet = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + 1;
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + countSet(selection.selectionSet);
      return sum + countFragment(selection.name.value);
    }, 0);
  return countSet;
}
