import { getNamedType, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { rootField } from './root-field';
import type { RestRoute, RouteSection, SectionCondition } from './route-table';

/** A section with its field in a schema. */
export interface SectionField {
  readonly section: RouteSection;
  readonly typeName: string;
  readonly field: GraphQLField<unknown, unknown>;
}

/** A query parameter that conditions of sections share. */
export interface SectionSwitch {
  readonly parameter: string;
  readonly default: boolean | string;
  /** Allowed values of a selector; `undefined` for a boolean. */
  readonly values: readonly string[] | undefined;
  /** Condition variables of the operation, each with the values that set it to true. */
  readonly variables: readonly { readonly variable: string; readonly values: readonly (boolean | string)[] }[];
}

/** Finds the fields of a route's sections. Only GET routes of queries have sections: their parameters are in the query. */
export function sectionFields(schema: GraphQLSchema, route: RestRoute): readonly SectionField[] {
  const hasSections = (route.sections ?? []).length > 0;
  if (hasSections && (route.method !== 'GET' || !route.operation.startsWith('Query.'))) {
    throw new InvariantError(`${route.operation} cannot have sections: it is not a GET route of a query`);
  }
  return (route.sections ?? []).map((section) => {
    let field = rootField(schema, route.operation);
    let typeName = '';
    for (const name of section.field.split('.')) {
      const type = getNamedType(field.type);
      const below = isObjectType(type) ? type.getFields()[name] : undefined;
      if (below === undefined) throw new InvariantError(`${route.operation} has no section ${section.field}`);
      typeName = type.name;
      field = below;
    }
    return { section, typeName, field };
  });
}

/** The variable of a section's `@include`. */
export const conditionVariable = ({ field }: RouteSection): string => ['include', ...field.split('.')].join('_');

/** The query parameters that decide which sections of a route are included. */
export function sectionSwitches(route: RestRoute): readonly SectionSwitch[] {
  const switches = new Map<string, SectionSwitch>();
  for (const section of route.sections ?? []) {
    const { condition } = section;
    if (condition === undefined) continue;
    const values = 'values' in condition ? condition.values : [true];
    const entry = switches.get(condition.parameter) ?? newSwitch(condition);
    switches.set(condition.parameter, {
      ...entry,
      values: entry.values === undefined ? undefined : [...new Set([...entry.values, ...values.map(String)])],
      variables: [...entry.variables, { variable: conditionVariable(section), values }],
    });
  }
  return [...switches.values()];
}

const newSwitch = (condition: SectionCondition): SectionSwitch => ({
  parameter: condition.parameter,
  default: condition.default,
  values: 'values' in condition ? [] : undefined,
  variables: [],
});
