import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  specifiedRules,
  validate,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import { literalRule } from './literal-rule';
import { reservedNameErrors } from './reserved-names';

const RULES = specifiedRules.map((rule) => (rule === ValuesOfCorrectTypeRule ? literalRule : rule));

/** Validates a document. Must run before anything else uses it: cyclic fragments crash the planner. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, RULES, { maxErrors: 20 });
  return errors.length > 0 ? errors : reservedNameErrors(document);
}
