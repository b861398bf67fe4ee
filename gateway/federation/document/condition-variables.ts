import { type DocumentNode, Kind, visit } from 'graphql';
import { expectedCondition } from './operation-tree';

/** Sorted names of the variables in `@skip` and `@include`. Their values select the variant of the plan. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(directive) {
      const value = directive.arguments?.[0]?.value;
      if (expectedCondition(directive) !== undefined && value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names].sort();
}

/**
 * One character per condition. A null condition has its own key, because the operation is refused if it uses that condition.
 */
export function variantKey(names: readonly string[], variables: Readonly<Record<string, unknown>>): string {
  let key = '';
  for (const name of names) key += keyOf(variables[name]);
  return key;
}

function keyOf(condition: unknown): string {
  if (typeof condition !== 'boolean') return '-';
  return condition ? '1' : '0';
}
