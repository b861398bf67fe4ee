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
 * Compiles the coercion of variables. The scalars of `wireSchema` validate a value without converting it, so that values stay
 * JSON and a subgraph can coerce them again. With `areChecked`, given values are not validated again, and only missing
 * variables are handled.
 */
export function compileVariables(
  wireSchema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  areChecked = false,
): (input: unknown) => CoercedVariables {
  if (variableDefinitions.length === 0) return () => NO_VARIABLES;
  const coercers = variableDefinitions.map((definition) => compileVariable(wireSchema, definition, areChecked));
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
  isChecked: boolean,
): CoerceVariable {
  const name = variable.name.value;
  const inputType = typeFromAST(schema, type) as GraphQLInputType | undefined;
  if (!isInputType(inputType)) throw new InvariantError(`the variable ${name} has no input type`);
  const otherwise: unknown = defaultValue === undefined ? undefined : valueFromAST(defaultValue, inputType);
  const isRequired = otherwise === undefined && isNonNullType(inputType);
  return (given, values, issues) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (otherwise !== undefined) values[name] = otherwise;
      else if (isRequired) issues.push({ path: name, message: 'is required' });
      return;
    }
    if (isChecked) {
      values[name] = value;
      return;
    }
    const coerced: unknown = coerceInputValue(value, inputType, (path, _invalid, error) => {
      issues.push({ path: [name, ...path].join('.'), message: error.message });
    });
    values[name] = coerced;
  };
}
