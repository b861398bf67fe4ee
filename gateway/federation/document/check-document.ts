import { type DocumentNode, type GraphQLError, type GraphQLSchema, specifiedRules, validate } from 'graphql';
import { reservedNameErrors } from './reserved-names';

/** What is wrong with a document. Nothing else may look at one that was not checked: cyclic fragments kill the planner. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, specifiedRules, { maxErrors: 20 });
  return errors.length > 0 ? errors : reservedNameErrors(document);
}
