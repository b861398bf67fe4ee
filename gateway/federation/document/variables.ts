import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import type { ValidationIssue } from '../../../src/errors/validation';

export type CoercedVariables =
  | { readonly values: Readonly<Record<string, unknown>>; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

const NO_VARIABLES: CoercedVariables = { values: Object.freeze({}) };

/**
 * Checks and completes the variables of a request. `wireSchema` has scalars that check a value as the real ones do and
 * return it as it is, so that the values stay JSON and a subgraph can coerce them again.
 */
export function compileVariables(
  wireSchema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): (input: unknown) => CoercedVariables {
  if (variableDefinitions.length === 0) return () => NO_VARIABLES;
  const coercers = variableDefinitions.map((definition) => compileVariable(wireSchema, definition));
  return (input) => {
    const given = (typeof input === 'object' && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
    const values: Record<string, unknown> = {};
    const issues: ValidationIssue[] = [];
    for (const coerce of coercers) coerce(given, values, issues);
    return issues.length > 0 ? { issues } : { values };
  };
}

type CoerceVariable = (
  given: Readonly<Record<string, unknown>>,
  values: Record<string, unknown>,
  issues: ValidationIssue[],
) => void;

function compileVariable(
  schema: GraphQLSchema,
  { variable, type, defaultValue }: VariableDefinitionNode,
): CoerceVariable {
  const name = variable.name.value;
  const inputType = typeFromAST(schema, type) as GraphQLInputType | undefined;
  if (!isInputType(inputType)) throw new InvariantError(`the variable ${name} has no input type`);
  return (given, values, issues) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (defaultValue !== undefined) values[name] = valueFromAST(defaultValue, inputType);
      else if (isNonNullType(inputType)) issues.push({ path: name, message: 'is required' });
      return;
    }
    const coerced: unknown = coerceInputValue(value, inputType, (path, _invalid, error) => {
      issues.push({ path: [name, ...path].join('.'), message: error.message });
    });
    values[name] = coerced;
  };
}
