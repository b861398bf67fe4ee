import { type DocumentNode, visit } from 'graphql';
import { problemOfText } from '../../edge/text-safety';

/** Properties of a valid document that decide on its admission. */
export interface DocumentInspection {
  /** Problem of a string literal in the document, or `undefined`. */
  readonly textProblem: string | undefined;
  readonly introspects: boolean;
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
  return { textProblem, introspects };
}
