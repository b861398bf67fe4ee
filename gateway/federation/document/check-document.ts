import { type DocumentNode, type GraphQLError, type GraphQLSchema, specifiedRules, validate } from 'graphql';
import { reservedNameErrors } from './reserved-names';

/** Validates a document. Must run before anything else uses it: cyclic fragments crash the planner. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, specifiedRules, { maxErrors: 20 });
  return errors.length > 0 ? errors : reservedNameErrors(document);
}
