import type { PlanNode, RequiresSelection } from '@graphql-hive/router-query-planner';
import { Kind, type NameNode, parse, print, visit } from 'graphql';
import type { FixedField } from '../planner/fixed-fields';

type FixedFields = ReadonlyMap<string, FixedField>;

/**
 * Puts the real fields into a plan over fixed fields (`withFixedFields`): `weight_fixed_1` becomes
 * `weight_fixed_1: weight(unit: "kg")` in the requests, and is `weight` in representations.
 */
export function restoreFixedFields(node: PlanNode, fixedFields: FixedFields): PlanNode {
  if (fixedFields.size === 0) return node;
  const restore = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restore);
    return Object.fromEntries(
      Object.entries(value).map(([key, child]: [string, unknown]) => {
        if (key === 'operation') return [key, restoreOperation(String(child), fixedFields)];
        if (key === 'requires' && Array.isArray(child)) return [key, restoreRequires(child, fixedFields)];
        return [key, restore(child)];
      }),
    );
  };
  return restore(node) as PlanNode;
}

function restoreOperation(operation: string, fixedFields: FixedFields): string {
  if (![...fixedFields.keys()].some((name) => operation.includes(name))) return operation;
  const document = visit(parse(operation, { noLocation: true }), {
    Field(field) {
      const fixed = fixedFields.get(field.name.value);
      if (fixed === undefined) return undefined;
      const name: NameNode = { kind: Kind.NAME, value: fixed.name };
      return { ...field, alias: field.alias ?? field.name, name, arguments: fixed.arguments };
    },
  });
  return print(document);
}

/** The name of a required field is its key in the data, and its alias is its key in the representation. */
function restoreRequires(requires: readonly RequiresSelection[], fixedFields: FixedFields): RequiresSelection[] {
  return requires.map((selection) => {
    if (selection.kind === 'FragmentSpread') return selection;
    const selections = restoreRequires(selection.selections ?? [], fixedFields);
    if (selection.kind === 'InlineFragment') return { ...selection, selections };
    const fixed = fixedFields.get(selection.alias ?? selection.name);
    return fixed === undefined ? { ...selection, selections } : { ...selection, alias: fixed.name, selections };
  });
}
