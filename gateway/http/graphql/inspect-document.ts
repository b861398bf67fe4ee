import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql';
import { problemOfText } from '../../edge/text-safety';
import { createDocumentMeasure } from '../../federation/document/measure-document';

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
  const measure = createDocumentMeasure(document);
  const counts = new Map<OperationDefinitionNode, number>();
  return {
    textProblem,
    introspects,
    rootFields(operation) {
      const rootFields = counts.get(operation) ?? measure(operation.selectionSet).rootFields;
      counts.set(operation, rootFields);
      return rootFields;
    },
  };
}
