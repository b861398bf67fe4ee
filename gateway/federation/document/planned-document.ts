import { print } from 'graphql';
import type { FieldSelection, OperationTree, Selections } from './operation-tree';

/**
 * The text that is planned: without introspection, without branches that cannot apply, every field under its data key.
 * `undefined` when the operation needs no subgraph.
 */
export function plannedDocument({ operation, selections }: OperationTree): string | undefined {
  const fields = printSelections(selections, true);
  if (fields === '') return undefined;
  const variables = (operation.variableDefinitions ?? []).map((definition) => print(definition)).join(', ');
  return `${operation.operation}${variables === '' ? '' : `(${variables})`}{${fields}}`;
}

function printSelections(selections: Selections, isRoot: boolean): string {
  return selections
    .map((selection) => {
      if (selection.kind === 'field') return printField(selection, isRoot);
      const below = printSelections(selection.selections, isRoot);
      if (below === '') return '';
      return `...${selection.typeCondition === undefined ? '' : `on ${selection.typeCondition}`}{${below}}`;
    })
    .filter((text) => text !== '')
    .join(' ');
}

function printField(field: FieldSelection, isRoot: boolean): string {
  // Projection knows the names of the root types, and introspection is answered from the public schema.
  if (field.name.startsWith('__')) return isRoot ? '' : '__typename';
  const alias = field.dataKey === field.name ? '' : `${field.dataKey}:`;
  const given = (field.node.arguments ?? []).map((argument) => print(argument)).join(', ');
  const call = `${alias}${field.name}${given === '' ? '' : `(${given})`}`;
  return field.selections === undefined ? call : `${call}{${printObject(field.selections)}}`;
}

/** The planner drops a field below which nothing can apply, and the caller would see null instead of `{}`. */
function printObject(selections: Selections): string {
  const printed = printSelections(selections, false);
  return selections.some((selection) => selection.kind === 'field') ? printed : `__typename ${printed}`;
}
