import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  validate,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import { literalRule, numberRule } from './literal-rule';
import { reservedNameErrors } from './reserved-names';
import { subscriptionRule } from './subscription-rule';

const REPLACED: ReadonlyMap<ValidationRule, ValidationRule> = new Map([
  [ValuesOfCorrectTypeRule, literalRule],
  [SingleFieldSubscriptionsRule, subscriptionRule],
]);
const RULES = [...specifiedRules.map((rule) => REPLACED.get(rule) ?? rule), numberRule];

/** Validates a document. Must run before anything else uses it: cyclic fragments crash the planner. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, RULES, { maxErrors: 20 });
  return errors.length > 0 ? errors : reservedNameErrors(document);
}
