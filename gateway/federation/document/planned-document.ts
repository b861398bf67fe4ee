import { print } from 'graphql';
import type { FieldSelection, OperationTree, Selections } from './operation-tree';

/**
 * The document for the planner: without introspection and inapplicable branches, with every field under its data key.
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
  // Projection adds the names of the root types, and the public schema resolves introspection.
  if (field.name.startsWith('__')) return isRoot ? '' : '__typename';
  const alias = field.dataKey === field.name ? '' : `${field.dataKey}:`;
  const given = (field.node.arguments ?? []).map((argument) => print(argument)).join(', ');
  const call = `${alias}${field.name}${given === '' ? '' : `(${given})`}`;
  return field.selections === undefined ? call : `${call}{${printObject(field.selections)}}`;
}

/** Adds `__typename` where no field applies: the planner would drop the object, and the caller would get null instead of `{}`. */
function printObject(selections: Selections): string {
  const printed = printSelections(selections, false);
  return selections.some((selection) => selection.kind === 'field') ? printed : `__typename ${printed}`;
}
