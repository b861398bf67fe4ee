import { type DocumentNode, type FieldNode, GraphQLError, visit } from 'graphql';

/**
 * Reports names that the planner and the executor use themselves. `__typename: name` would change the type of an object,
 * `_entities` the meaning of an error's path. The specification reserves every alias that starts with two underscores.
 */
export function reservedNameErrors(document: DocumentNode): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  visit(document, {
    Field(field) {
      const alias = field.alias?.value;
      if (alias !== undefined && isReserved(alias, field)) {
        errors.push(new GraphQLError(`The alias "${alias}" is reserved`, { nodes: field }));
      }
    },
    VariableDefinition({ variable }) {
      if (variable.name.value === '__proto__') {
        errors.push(new GraphQLError('The variable "$__proto__" is reserved', { nodes: variable }));
      }
    },
  });
  return errors;
}

function isReserved(alias: string, field: FieldNode): boolean {
  if (alias === '__proto__') return true;
  if (alias.startsWith('_internal_qp_alias_') || alias === '_entities') return true;
  return alias.startsWith('__') && alias !== field.name.value;
}
